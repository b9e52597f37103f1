"""Control panel of a viewer: playback, layers, joint sliders."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

from rbd.state import MechanismState
from rbd.viz.layers import LAYERS, Layer
from rbd.viz.player import Player
from rbd.viz.sliders import SliderCoordinate

if TYPE_CHECKING:
    from viser import GuiApi, GuiEvent, GuiInputHandle, GuiSliderHandle

_SPEEDS: Final = ("0.1", "0.25", "0.5", "1", "2", "4")
MoveJoint: TypeAlias = Callable[[SliderCoordinate, float], None]
ShowLayer: TypeAlias = Callable[[Layer, bool], None]


@final
class Panel:
    """Elements of the control panel. Only input in a browser calls an action, values that the program sets do not."""

    def __init__(
        self,
        gui: GuiApi,
        move_joint: MoveJoint,
        show_layer: ShowLayer,
        coordinates: Iterable[SliderCoordinate],
        visible: frozenset[Layer],
    ) -> None:
        """Make sliders that call `move_joint`, and checkboxes that call `show_layer`."""
        self._gui, self._move_joint, self._show_layer = gui, move_joint, show_layer
        self._playback: _Playback | None = None
        self._playback_folder = gui.add_folder("Motion", visible=False)
        with gui.add_folder("Show"):
            self._boxes = {layer: self._checkbox(layer, layer in visible) for layer in LAYERS}
        with gui.add_folder("Joints"):
            self._sliders = [(each, self._slider(each)) for each in coordinates]

    def _checkbox(self, layer: Layer, checked: bool) -> GuiInputHandle[bool]:
        box = self._gui.add_checkbox(layer, checked)
        _on_input(box, lambda value: self._show_layer(layer, bool(value)))
        return box

    def _slider(self, each: SliderCoordinate) -> GuiSliderHandle[float]:
        start = min(max(0.0, each.low), each.high)
        slider = self._gui.add_slider(each.label, each.low, each.high, each.step, start)
        _on_input(slider, lambda value: self._move_joint(each, float(value)))
        return slider

    def set_sliders(self, state: MechanismState) -> None:
        """Set the sliders to a state; a slider's range grows to where the state is."""
        for coordinate, slider in self._sliders:
            _set_slider(coordinate, slider, state)

    def set_next_slider(self, state: MechanismState, frame: int) -> None:
        """Set one slider every second frame, in turn: to set all at once takes a page longer than a frame."""
        if self._sliders and frame % 2 == 0:
            _set_slider(*self._sliders[frame // 2 % len(self._sliders)], state)

    def set_checkbox(self, layer: Layer, visible: bool) -> None:
        """Set the checkbox of a layer."""
        _set(self._boxes[layer], visible)

    # ---------------------------------------------------------------- playback

    def add_playback(self, player: Player, start: float, end: float, speed: float) -> None:
        """Add the elements that control a player, for times from `start` to `end`."""
        self._playback_folder.visible = True
        if self._playback is not None:
            self._playback.remove()
        with self._playback_folder:
            self._playback = _Playback(self._gui, player, start, end, speed)

    def show_time(self, t: float, playing: bool) -> None:
        """Set the time shown, and the label of the button."""
        if self._playback is not None:
            _set(self._playback.time, t)
            self._playback.button.label = "Pause" if playing else "Play"

    def show_stopped(self) -> None:
        """Label the button "Play"."""
        if self._playback is not None:
            self._playback.button.label = "Play"


@final
class _Playback:
    """Elements that control a player."""

    def __init__(self, gui: GuiApi, player: Player, start: float, end: float, speed: float) -> None:
        self.button = gui.add_button("Pause")
        self.button.on_click(lambda _: player.play() if self.button.label == "Play" else player.pause())
        step = max((end - start) / 1000, 1e-6)
        self.time = gui.add_slider("time (s)", start, max(end, start + step), step, start)
        _on_input(self.time, lambda value: player.scrub(float(value)))
        choice = f"{speed:g}"
        self.speed = gui.add_dropdown("speed", tuple(dict.fromkeys((*_SPEEDS, choice))), initial_value=choice)
        _on_input(self.speed, lambda value: player.set_speed(float(value)))
        self.repeat = gui.add_checkbox("repeat", False)
        _on_input(self.repeat, lambda value: player.set_repeat(bool(value)))

    def remove(self) -> None:
        for element in (self.button, self.time, self.speed, self.repeat):
            element.remove()


def _set_slider(coordinate: SliderCoordinate, slider: GuiSliderHandle[float], state: MechanismState) -> None:
    value = coordinate.value(state)
    slider.min, slider.max = min(slider.min, value), max(slider.max, value)
    _set(slider, value)


def _set(element: Any, value: Any) -> None:  # Any: mypy takes viser's values for read-only
    element.value = value


def _on_input(element: Any, action: Callable[[Any], None]) -> None:
    """Call `action` with the value of an element when a browser has changed it."""

    def update(event: GuiEvent[Any]) -> None:
        if event.client_id is not None:
            action(event.target.value)

    element.on_update(update)
