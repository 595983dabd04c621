"""The runtime's C ABI through ctypes, as far as tests and benchmarks need it: arrays of numbers in, arrays out."""

import ctypes

import numpy as np

MESSAGE_BYTES = 500
CPU = 1  # TESSERA_DEVICE_CPU
CODES = {"i": 0, "u": 1, "f": 2}  # tessera_dtype_code of numpy's kinds


class Tensor(ctypes.Structure):
    """tessera_dltensor"""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class ContextOptions(ctypes.Structure):
    """tessera_context_options"""
    _fields_ = [("struct_size", ctypes.c_size_t), ("num_threads", ctypes.c_int32)]


class Runtime:
    def __init__(self, library):
        self.library = ctypes.CDLL(library)
        for name in ("tessera_executable_destroy", "tessera_context_destroy"):
            getattr(self.library, name).restype = None
        self.library.tessera_context_message.restype = ctypes.c_char_p

    def load(self, artifact):
        return Executable(self, artifact)


class Executable:
    """Used in a `with`, by any number of threads."""

    def __init__(self, runtime, artifact):
        self.library, self.handle = runtime.library, ctypes.c_void_p()
        message = ctypes.create_string_buffer(MESSAGE_BYTES)
        status = self.library.tessera_executable_load_file(artifact.encode(), None, ctypes.byref(self.handle), message,
                                                           ctypes.c_size_t(MESSAGE_BYTES))
        if status != 0:
            raise RuntimeError(message.value.decode())

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.library.tessera_executable_destroy(self.handle)

    def context(self, num_threads):
        return Context(self, num_threads)


class Context:
    """Of one thread. `run` gives views of the context's memory, valid until the next run."""

    def __init__(self, executable, num_threads):
        self.library, self.handle = executable.library, ctypes.c_void_p()
        message = ctypes.create_string_buffer(MESSAGE_BYTES)
        options = ContextOptions(ctypes.sizeof(ContextOptions), num_threads)
        status = self.library.tessera_context_create(executable.handle, ctypes.byref(options), ctypes.byref(self.handle), message,
                                                     ctypes.c_size_t(MESSAGE_BYTES))
        if status != 0:
            raise RuntimeError(message.value.decode())

    def close(self):
        self.library.tessera_context_destroy(self.handle)

    def _check(self, status):
        if status != 0:
            raise RuntimeError(self.library.tessera_context_message(self.handle).decode())

    def set_num_threads(self, num_threads):
        self._check(self.library.tessera_context_set_num_threads(self.handle, num_threads))

    def run(self, *inputs, outputs=1):
        for index, array in enumerate(inputs):
            shape = (ctypes.c_int64 * array.ndim)(*array.shape)
            tensor = Tensor(array.ctypes.data, CPU, 0, array.ndim, CODES[array.dtype.kind], 8 * array.itemsize, 1, shape, None, 0)
            self._check(self.library.tessera_context_set_input_at(self.handle, index, ctypes.byref(tensor)))
        self._check(self.library.tessera_context_run(self.handle))
        return [self._output(index) for index in range(outputs)]

    def _output(self, index):
        tensor = Tensor()
        self._check(self.library.tessera_context_get_output_at(self.handle, index, ctypes.byref(tensor)))
        shape = [tensor.shape[i] for i in range(tensor.ndim)]
        kind = next(kind for kind, code in CODES.items() if code == tensor.code)
        element = np.ctypeslib.as_ctypes_type(np.dtype(f"{kind}{tensor.bits // 8}"))
        return np.ctypeslib.as_array(ctypes.cast(tensor.data, ctypes.POINTER(element)), shape)
