"""The studio: a page in the browser with a picture and its text, served from this machine.

Below the command line, above `canvas`. `server` puts it together: `guard` decides who may ask, `folder` which files
there are, `document` holds a text with its versions, `connection` is one tab of the browser, and `canvas.live` draws.
Needs the extra `pellucid[studio]`, which is imported only when the studio starts.
"""
