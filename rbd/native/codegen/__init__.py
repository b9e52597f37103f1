"""Programs and intrinsics as LLVM IR."""
