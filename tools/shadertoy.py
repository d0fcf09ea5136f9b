"""A page that runs a shader for Shadertoy as that site does: its uniforms, its `main`, and one frame.

Used by the tests of exported shaders and by `bench/live.py`, in a `tools.browser.Browser`.
"""

from __future__ import annotations

import json

_BEFORE = """#version 300 es
precision highp float;
precision highp int;
precision mediump sampler3D;
uniform vec3 iResolution;
uniform float iTime;
uniform float iTimeDelta;
uniform float iFrameRate;
uniform int iFrame;
uniform float iChannelTime[4];
uniform vec3 iChannelResolution[4];
uniform vec4 iMouse;
uniform vec4 iDate;
uniform float iSampleRate;
uniform sampler2D iChannel0;
uniform sampler2D iChannel1;
uniform sampler2D iChannel2;
uniform sampler2D iChannel3;
out vec4 pixel_color;
void mainImage(out vec4 c, in vec2 f);
"""
"""What stands before the text that was pasted: it must not use these names otherwise."""
_AFTER = """
void main() {
  vec4 color = vec4(1e20);
  mainImage(color, gl_FragCoord.xy);
  pixel_color = vec4(color.xyz, 1.0);
}
"""
_PAGE = """<!DOCTYPE html><meta charset="utf-8"><canvas id="picture"></canvas><p id="status"></p><script>
"use strict";
const canvas = document.querySelector("canvas"), size = %SIZE%;
[canvas.width, canvas.height] = size;
const gl = canvas.getContext("webgl2", { preserveDrawingBuffer: true });
const made = gl.createProgram();
const corners = "#version 300 es\\nvoid main() { gl_Position = " +
  "vec4(gl_VertexID == 1 ? 3. : -1., gl_VertexID == 2 ? 3. : -1., 0, 1); }";
const shaders = [[gl.VERTEX_SHADER, corners], [gl.FRAGMENT_SHADER, %SHADER%]].map(([type, text]) => {
  const shader = gl.createShader(type);
  gl.shaderSource(shader, text);
  gl.compileShader(shader);
  gl.attachShader(made, shader);
  return shader;
});
gl.linkProgram(made);
if (gl.getProgramParameter(made, gl.LINK_STATUS)) {
  gl.useProgram(made);
  gl.uniform3f(gl.getUniformLocation(made, "iResolution"), ...size, 1);
  gl.drawArrays(gl.TRIANGLES, 0, 3);
  canvas.dataset.frames = 1;
} else {
  document.querySelector("#status").textContent = gl.getShaderInfoLog(shaders[1]) || gl.getProgramInfoLog(made);
}
</script>"""


def hosted(shader: str, size: tuple[int, int]) -> str:
    """The page that draws the first frame of a shader in a canvas, or says in `#status` why it does not compile."""
    text = json.dumps(f"{_BEFORE}{shader}{_AFTER}").replace("</", "<\\/")
    return _PAGE.replace("%SIZE%", json.dumps(size)).replace("%SHADER%", text)
