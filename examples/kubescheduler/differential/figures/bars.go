package figures

import (
	"fmt"
	"strings"
	"time"

	"github.com/outrank-go/outrank/internal/tests/gen"
)

// The bars that cells are held to.
const (
	// overAllBar is how many times faster than the reference with all nodes a cell is at least. Where the reference
	// takes less than quick, quickBar counts.
	overAllBar, quickBar = 100, 50
	quick                = time.Millisecond
	// overSampleBar is how many times faster than the reference's default sample a cell is at least.
	overSampleBar = 10
	// firstBar is the most that the first question ever about a snapshot takes.
	firstBar = 20 * time.Millisecond
	// timeBar is the most that a question takes at up to barNodes nodes, and volumeBar the most with volumes.
	timeBar, volumeBar = time.Millisecond, 3 * time.Millisecond
	barNodes           = 5000
)

// Misses returns the cells that miss a bar, each with the bar and by how much it misses it. A first question ever is
// held to its own bar alone.
func Misses(cells []*Cell) (misses []string) {
	for _, o := range each(cells, func(string) bool { return true }) {
		for _, what := range o.misses() {
			misses = append(misses, fmt.Sprintf("%s: %s", o, what))
		}
	}
	return misses
}

// misses returns which bars a cell misses.
func (o one) misses() (found []string) {
	if o.way == gen.RealFirst {
		return slower(o.time(), firstBar)
	}

	over := float64(overAllBar)
	if o.All() < quick {
		over = quickBar
	}
	if o.overAll() < over {
		found = append(found, fmt.Sprintf("%s against all nodes, the bar is %.0f", times(o.overAll()), over))
	}
	if o.overSample() < overSampleBar {
		found = append(found, fmt.Sprintf("%s against its sample, the bar is %d", times(o.overSample()), overSampleBar))
	}
	if o.Nodes > barNodes {
		return found
	}
	most := timeBar
	if strings.HasPrefix(o.Row, "volume") || o.Row == "deployment" {
		most = volumeBar
	}
	return append(found, slower(o.time(), most)...)
}

// slower says that a time is above a bar.
func slower(took, most time.Duration) []string {
	if took <= most {
		return nil
	}
	return []string{fmt.Sprintf("%s, the bar is %s", Brief(took), Brief(most))}
}
