package console

import (
	"errors"
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// The values of a setting for colours.
const (
	Auto   = "auto"
	Always = "always"
	Never  = "never"
)

// ErrColor is the error for any other value of that setting.
var ErrColor = errors.New("colour is auto, always or never")

// Screen describes where the text is shown.
type Screen struct {
	// Width is the largest number of columns of a line. 0 means no limit.
	Width int
	// Color says that text may be coloured.
	Color bool
	// Terminal says that a terminal shows the text. Terminals reorder right-to-left text.
	Terminal bool
}

// ScreenOf describes the target of text. A terminal has its own width or, if it reports none, the width in
// COLUMNS. Anything else, such as a pipe or a file, has no width. Only terminals are coloured automatically,
// unless NO_COLOR is set or TERM is dumb.
func ScreenOf(w io.Writer, color string, env func(string) string) (Screen, error) {
	var s Screen
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s.Terminal = true
		if width, _, err := term.GetSize(int(f.Fd())); err == nil {
			s.Width = width
		}
		if s.Width <= 0 {
			s.Width, _ = strconv.Atoi(env("COLUMNS"))
			s.Width = max(0, s.Width)
		}
	}
	return s.colored(color, env)
}

// colored decides whether there is colour.
func (s Screen) colored(color string, env func(string) string) (Screen, error) {
	switch color {
	case Auto:
		s.Color = s.Terminal && env("NO_COLOR") == "" && env("TERM") != "dumb"
	case Always:
		s.Color = true
	case Never:
	default:
		return s, ErrColor
	}
	return s, nil
}

// Style is a style of text.
type Style string

// The styles.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Faint  Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
)

// Styled is a text with a style, to be used as an argument of [Page.Line].
type Styled struct {
	Text  string
	Style Style
}

// styled adds a style to text that is safe already.
func (s Screen) styled(text string, style Style) string {
	if !s.Color || style == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}
