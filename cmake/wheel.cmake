# What the wheels for Linux on x86-64 are built with: `cmake -C` reads it. One wheel is for everybody:
# the CUDA runtime is in it, and the driver is loaded at the first use of a device.
set(WARPGRAPH_CUDA ON CACHE STRING "Wheels have the kernels")
# Machine code for Turing, Ampere, Ada, Hopper and Blackwell, and portable code for what comes later.
set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 100-real 120 CACHE STRING
    "Turing to Blackwell")
