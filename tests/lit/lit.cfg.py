# The lit suite: every .mlir and .test file in a test/ folder of compiler/, backends/, frontends/, runtime/ and tools/.
import os

import lit.formats

config.name = "tessera"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = config.tessera_source_dir
config.test_exec_root = os.path.join(config.tessera_binary_dir, "tests", "lit")
# Folders below the root that hold no lit tests, and folders of inputs, which are not tests themselves.
config.excludes = [".ci", ".git", "bench", "build", "docs", "examples", "plugins", "python", "scripts", "tests",
                   "cases", "inputs", "kernels", "patterns"]

bin_dir = os.path.join(config.tessera_binary_dir, "bin")
config.environment["PATH"] = os.pathsep.join([bin_dir, config.llvm_tools_dir, os.environ.get("PATH", "")])
config.environment["TESSERA_SOURCE_DIR"] = config.tessera_source_dir
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "TESSERA_PLUGIN_PATH", "HOME"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Substitutions are tried in this order; `tessera-opt` must come before `tessera`.
config.substitutions += [
    ("%python", config.tessera_python),
    ("%version", config.version),
    (r"(?<![\w/.-])tessera-opt(?![\w/.-])", os.path.join(bin_dir, "tessera-opt")),
    (r"(?<![\w/.-])tessera(?![\w/.-])", os.path.join(bin_dir, "tessera")),
    (r"(?<![\w/.-])FileCheck(?![\w/.-])", os.path.join(config.llvm_tools_dir, "FileCheck") + " --enable-var-scope"),
    (r"(?<![\w/.-])not(?= )", os.path.join(config.llvm_tools_dir, "not")),
]

# Features for REQUIRES: what the CPU can run, which tools and backends this build has.
with open("/proc/cpuinfo", encoding="utf-8") as file:
    flags = next((line.split(":")[1].split() for line in file if line.startswith("flags")), [])
config.available_features.update({"avx2", "avx512f"} & set(flags))
for tool in ("tessera", "tessera-opt"):
    if os.path.exists(os.path.join(bin_dir, tool)):
        config.available_features.add(tool)
config.available_features.update("backend-" + name for name in config.tessera_backends)
