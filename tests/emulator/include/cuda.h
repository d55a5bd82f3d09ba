// What this project uses of the driver: contexts. That of a device is emulated by its number.
#pragma once

struct CUctx_st {
  int device;
};
using CUcontext = CUctx_st*;
using CUdevice = int;
enum CUresult {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_CONTEXT = 201
};
