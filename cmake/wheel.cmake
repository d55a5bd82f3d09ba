# What the wheels for Linux on x86-64 are built with: `cmake -C` reads it. One wheel is for everybody:
# the CUDA runtime is in it, and the driver is loaded at the first use of a device.
set(WARPGRAPH_CUDA ON CACHE STRING "Wheels have the kernels")
# Machine code for Turing, Ampere, Hopper and Blackwell, and portable code for what comes later. That
# for Ampere (8.0) runs on all of 8.x, so on Ada, too.
set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 90-real 100-real 120 CACHE STRING "Turing to Blackwell")
