"""Scripts that a viewer's pages run: no background image, and fewer pixels while a playback is slow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rbd.viz.loopback import send_script

if TYPE_CHECKING:
    from viser import ViserServer

_NO_BACKGROUND: Final = "const m = window.__viserMutable?.backgroundMaterial; if (m) { m.visible = false; }"
_PIXELS: Final = """
window.rbdPixels ??= (() => {
  let chosen = null, fewer = null, start = null, timer = 0;
  const choose = (ratio) => {  // unless the address of the page, or a person, has chosen another one
    const settings = window.__viserTestpoints.devSettings;
    if (settings.get().fixedDpr === chosen) { chosen = ratio; settings.set({fixedDpr: ratio}); }
  };
  const rest = () => { start = null; choose(null); };
  const played = (now, frame) => {
    clearTimeout(timer);
    timer = setTimeout(rest, 1000);
    if (start === null) {
      start = {now, frame};
    } else if (now - start.now >= 2000) {
      const isSlow = frame - start.frame < 0.03 * (now - start.now);
      if (isSlow) { fewer = Math.max(0.5, (fewer ?? devicePixelRatio) / 2); }
      start = {now, frame};
    }
    choose(fewer);
  };
  const frames = () => window.__viserTestpoints.rendererInfo.render.frame;
  const tell = () => document.hidden ? rest() : played(performance.now(), frames());  // hidden pages draw nothing
  return {played, rest, tell};
})();
"""
_PLAYED: Final = "window.rbdPixels?.tell();"


def add_page_scripts(server: ViserServer) -> None:
    """Send the scripts to all pages: one hides the background image, the other serves `announce_playback`.

    The image takes time for every pixel even where there is none.
    """
    send_script(server, _NO_BACKGROUND)
    send_script(server, _PIXELS)


def announce_playback(server: ViserServer) -> None:
    """Tell the pages that are open that a trajectory is playing, at least once a second.

    A page that draws fewer than 30 frames in each of two seconds halves its pixels in each direction, down to half of
    those of the window. When it is told no more, it draws all of them, and the next playback begins with fewer.
    """
    for client in server.get_clients().values():
        send_script(client, _PLAYED)
