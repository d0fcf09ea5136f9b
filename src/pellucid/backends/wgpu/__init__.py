"""Pictures on any GPU that Vulkan, Metal or Direct3D 12 drives, by the package wgpu: in f32 and relaxed numerics alone.

Beside the other back ends. The shader is the one in WGSL that is exported: the driver lends its printer. `device`
speaks with the GPU, `code` runs a shader for a frame.
"""
