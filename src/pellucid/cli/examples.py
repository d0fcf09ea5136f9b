"""Examples to copy, which stand below the options in the help of each command. Read by `arguments`."""

from __future__ import annotations

EXAMPLES = """\
examples:
  pellucid render swirl.py -o swirl.png --size 1024x768
  pellucid animate checkturn.py -o turn.gif --seconds 2 --fps 25
  pellucid render-audio pluck.py -o pluck.wav --seconds 3
  pellucid show swirl.py                        draw it here, in the terminal
  pellucid explain swirl.py                     the program after every stage, and why
  pellucid hops histogram.hops                  make a program faster yourself, by proven moves
  pellucid render shapes.py:flower -o -         one of several pictures, as PNG to the next program

A picture file is a Python file that defines pictures:
  from pellucid import images as im
  picture = im.swirl(100, im.checkerboard(10, im.black, im.white))
"""

RENDER = """\
The suffix of OUT chooses the format: .png .jpg .webp .tiff .gif .npy .exr
OUT may be - for PNG to standard output.
TIFF of 16 and 32 bits needs the extra: pip install 'pellucid[tiff]', and EXR: pip install 'pellucid[exr]'

examples:
  pellucid render swirl.py -o swirl.png
  pellucid render swirl.py -o detail.png --size 1024x768 --center 40,-25 --zoom 8
  pellucid render swirl.py -o smooth.jpg --samples 4 --quality 90 --background '#203040'
  pellucid render swirl.py -o deep.tiff --depth 16
  pellucid render slider.py -o tight.png --param twist=40
  pellucid render swirl.py -o - | convert - swirl.pdf
"""

ANIMATE = """\
The suffix of OUT chooses the format: .png .webp .gif .mp4 .webm .npy
OUT may be - for PNG to standard output. MP4 and WebM need the extra: pip install 'pellucid[video]'

examples:
  pellucid animate checkturn.py -o turn.gif --seconds 2 --fps 25
  pellucid animate checkturn.py -o turn.mp4 --size 1920x1080 --zoom 4 --seconds 10 --fps 60
"""

STORE = """\
OUT is .ome.zarr for viewers, with a pyramid, .zarr for programs, .tif for one file with a pyramid, or .dzi for a page.
Give the same line again to go on after Ctrl-C, a crash or a full disk.
It needs the extra: pip install 'pellucid[scale]'

examples:
  pellucid store swirl.py -o poster.ome.zarr --size 100000x100000
  pellucid store swirl.py -o poster.ome.zarr --size 100000x100000 --zoom 200 --workers 2 --verify 10
  pellucid store swirl.py -o poster.dzi --size 40000x40000
  pellucid store swirl.py -o poster.zarr --size 4000000x4000000 --precision f64 --scheduler tcp://HOST:8786
"""

RENDER_AUDIO = """\
The suffix of OUT chooses the file: .wav, or .raw for samples alone. OUT may be - for WAV to standard output.
FORMAT is pcm_u8, s16le, s24le, s24in32le, s32le, f32le or f64le; raw files may be big-endian too, such as s16be.

examples:
  pellucid render-audio pluck.py -o pluck.wav --seconds 3
  pellucid render-audio bell.py -o bell.wav --seconds 4 --rate 96000 --format s24le --param depth=5
  pellucid render-audio echo.py -o echo.wav --seconds 2 --rate 44100
  pellucid render-audio pluck.py -o pluck.raw --seconds 1 --channels 2 --planar --format f32le
  pellucid render-audio pluck.py -o - --seconds 3 | aplay

A sound file is a Python file that defines voices, or signals:
  import pellucid as pl
  from pellucid import signals as sg
  @pl.voice
  def hum(rate):
      phase = sg.scan(sg.constant(110 / rate), 0.0, lambda p, step: pl.fraction(p + step))
      return 0.5 * sg.map(lambda p: pl.sinpi(2 * p), phase)
"""

FILTER = """\
IN is a WAV file, and OUT is as long, with its rate, its channels and its format. OUT may be - for standard output.

examples:
  pellucid filter chorus.py in.wav -o out.wav
  pellucid filter chorus.py:telephone in.wav -o out.wav --tail 2 --format s24le --param depth=5

A file of effects is a Python file that defines functions of signals and of the sample rate:
  import pellucid as pl
  from pellucid import signals as sg
  @pl.effect
  def telephone(x, rate):
      return sg.biquad(sg.biquad(x, "highpass", 400, rate=rate), "lowpass", 3400, rate=rate)
"""

SHOW = """\
In a terminal the picture is drawn with colored half blocks; elsewhere the viewer opens.

examples:
  pellucid show swirl.py
  pellucid show checkturn.py --seconds 5        let it move
  pellucid show swirl.py --live                 in the browser, with sliders, again as it is saved
  NO_COLOR=1 pellucid show swirl.py             letters only
"""

EXPLAIN = """\
examples:
  pellucid explain swirl.py
  pellucid explain swirl.py --list-stages
  pellucid explain swirl.py --stage placed
  pellucid explain swirl.py --markdown > swirl.md
  pellucid explain swirl.py --html swirl.html        a page: step through the stages, open each step
  pellucid explain swirl.py --tiles -o tiles.png --size 1024 --zoom 4
  pellucid explain --times evaluator.py              what an interpreter's compiler knows, in color
  pellucid explain --times evaluator.py --html times.html
  pellucid explain --times rules.py:run --static rules,start

FILE may also hold a sound, or the plan of a conversion:
  plan = pl.plan_conversion("nv12", "rgb24", (1920, 1080))
The page of --html is one file that needs no network, with a picture of the view on top.

--times is for a file with an interpreter, a function under @interpreter, or its compiler:
  compiler = cogen(run, program=STATIC, x=DYNAMIC)
Blue is static: known when the compiler runs, and gone in the program. Red is dynamic: the program computes
it. What is purple is static in some parts, or at some times. Where there is no color, letters under each
line say the same.
"""

EXPORT = """\
c writes STEM.h and STEM.c: plain C without dependencies, for use without Python. html writes one page that
draws the picture in any browser, offline; glsl a shader for Shadertoy, wgsl one for WebGPU; wasm a module of
WebAssembly, with an ES module that calls it; ptx a kernel for CUDA. These five have a view.

examples:
  pellucid export html swirl.py -o swirl.html
  pellucid export html swirl.py -o swirl.html --size 960x640 --zoom 40
  pellucid export glsl swirl.py
  pellucid export wasm swirl.py --numerics exact
  pellucid export c swirl.py -o build/swirl
  pellucid export c swirl.py -o build/ --name draw_swirl
"""

GALLERY = """\
examples:
  pellucid gallery
  pellucid gallery -o pictures --size 320x240
"""

HOPS = """\
FILE holds White's s-expressions, or a nest as explain prints it; of FILE.py[:NAME] it is the program of a picture. Each
line of STEPS is a command of the session; help is one of them. Without STEPS the session is interactive, unless its
lines come from a file or from another program.

examples:
  pellucid hops examples/histogram.hops
  pellucid hops examples/histogram.hops --script examples/histogram.steps
  pellucid hops examples/swirl.py
  echo moves | pellucid hops examples/histogram.hops
"""

STUDIO = """\
The page is served from this machine, to one browser of it. The text is written to FILE.py when it rests. Nothing is
run: words of the vocabulary are called, and other code is shown. Needs the extra: pip install 'pellucid[studio]'

examples:
  pellucid studio
  pellucid studio swirl.py
  pellucid studio mine.py --trust               run its own code too, as render does
  pellucid studio pictures/swirl.py --port 8123 --no-browser
  pellucid studio swirl.py --watch              the picture alone, beside an editor of your own
"""

SERVE = """\
Tiles are drawn when they are asked for, and nothing is written. Programs of this machine can read the picture as
OME-Zarr. Needs the extra: pip install 'pellucid[studio]'

examples:
  pellucid serve swirl.py --size 1048576x1048576 --zoom 4000
  pellucid serve swirl.py --size 40000x40000 --threads 1 --port 8123 --no-browser
"""

DOCTOR = """\
examples:
  pellucid doctor
  pellucid doctor --clear-cache
  pellucid doctor --calibrate
"""
