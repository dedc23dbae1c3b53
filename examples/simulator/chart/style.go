package chart

import "fmt"

// style sets the colours of everything except the series: dark on white, or the reverse if the viewer prefers
// a dark scheme. The colours of the series are visible on both. The lines in patterns have the colour of the
// background.
const style = `text{font:12px system-ui,sans-serif;fill:#1f2328}
.title{font-size:16px;font-weight:600}
.heading{font-size:13px;font-weight:600}
.note,.tick{fill:#59636e}
.tick{font-size:11px}
.bg{fill:#ffffff}
.grid{stroke:#d1d9e0;stroke-width:1}
.axis{stroke:#59636e;stroke-width:1}
.full{stroke:#1f2328;stroke-width:1.6;stroke-dasharray:10 7}
.line{fill:none;stroke-width:1.8;stroke-linejoin:round}
.band{stroke:#ffffff;stroke-width:0.6}
.ink{fill:none;stroke:#ffffff;stroke-width:1.5}
.dot{fill:#ffffff}
@media (prefers-color-scheme:dark){
text{fill:#e6edf3}
.note,.tick{fill:#9198a1}
.bg{fill:#0d1117}
.grid{stroke:#30363d}
.axis{stroke:#9198a1}
.full{stroke:#e6edf3}
.band{stroke:#0d1117}
.ink{stroke:#0d1117}
.dot{fill:#0d1117}
}`

// lineColours and dashes are the styles of the resources in order; dashes tell them apart without colour.
// Both repeat after the last one.
var (
	lineColours = []string{"#2f7fd1", "#d9730d", "#2f9e56", "#a05fd0", "#c2486b"}
	dashes      = []string{"", "7 3", "2 3", "9 3 2 3"}
)

// bandStyle is the style of a priority: a colour, and marks that tell it apart without colour.
type bandStyle struct {
	colour string
	// size is the size of the tile that repeats the marks. Empty marks make a plain area.
	size  int
	marks string
}

// bandStyles are the styles of the priorities, the highest first. Further priorities share the last one.
var bandStyles = []bandStyle{
	{"#c83c3c", 8, ""},
	{"#dd7f35", 8, `<path class="ink" d="M-2 2L2 -2M0 8L8 0M6 10L10 6"/>`},
	{"#cda12b", 7, `<circle class="dot" cx="3.5" cy="3.5" r="1.5"/>`},
	{"#5d9e5f", 8, `<path class="ink" d="M-2 6L2 10M0 0L8 8M6 -2L10 2"/>`},
	{"#4288b8", 6, `<path class="ink" d="M0 3H6"/>`},
	{"#7d6bb3", 9, `<path class="ink" d="M0 0L9 9M0 9L9 0"/>`},
	{"#8b949e", 6, `<path class="ink" d="M3 0V6"/>`},
}

// patterns defines the fills of the first bands.
func (c canvas) patterns(used int) {
	if used == 0 {
		return
	}
	c.put("<defs>\n")
	for i, b := range bandStyles[:used] {
		c.put(`<pattern id="band%d" width="%d" height="%d" patternUnits="userSpaceOnUse"><rect width="%d" height="%d" fill="%s"/>%s</pattern>`+"\n",
			i, b.size, b.size, b.size, b.size, b.colour, b.marks)
	}
	c.put("</defs>\n")
}

// fillOf returns a reference to the fill of a band.
func fillOf(band int) string { return fmt.Sprintf("url(#band%d)", band) }
