// Linked into every program of the presets with a sanitizer.
//
// allow_user_poisoning: LLVM's bump allocators poison memory where they are inlined into our code,
// but the packaged LLVM, built without the sanitizer, uses that memory without unpoisoning it.
// allocator_may_return_null: an allocation that is too large fails as it does without the
// sanitizer; our code has an error for that.
#define TESSERA_OPTIONS extern "C" __attribute__((visibility("default"), used)) const char*

TESSERA_OPTIONS __asan_default_options() {
  return "allow_user_poisoning=0:allocator_may_return_null=1";
}
TESSERA_OPTIONS __tsan_default_options() { return "allocator_may_return_null=1"; }
