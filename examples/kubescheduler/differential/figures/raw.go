package figures

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Read reads raw results, a cell in each line.
func Read(r io.Reader) (cells []*Cell, err error) {
	d := json.NewDecoder(r)
	for {
		c := &Cell{}
		if err := d.Decode(c); errors.Is(err, io.EOF) {
			return cells, nil
		} else if err != nil {
			return nil, fmt.Errorf("raw result %d: %w", len(cells)+1, err)
		}
		cells = append(cells, c)
	}
}

// WriteRaw writes raw results that Read reads.
func WriteRaw(w io.Writer, cells []*Cell) error {
	b := bufio.NewWriter(w)
	e := json.NewEncoder(b)
	for _, c := range cells {
		if err := e.Encode(c); err != nil {
			return err
		}
	}
	return b.Flush()
}

// Merge returns the cells, with new ones in the place of those of the same row and size, or at the end.
func Merge(cells, anew []*Cell) []*Cell {
	all := slices.Clone(cells)
	for _, c := range anew {
		at := slices.IndexFunc(all, func(o *Cell) bool { return o.Row == c.Row && o.Nodes == c.Nodes })
		if at < 0 {
			all = append(all, c)
			continue
		}
		all[at] = c
	}
	return all
}

// Heading is the heading of the section of FIGURES.md that Section replaces.
const Heading = "## Clusters that nobody tuned for"

// Section returns a document with the text under the heading replaced, up to the next heading of its level. A document
// without the section gets it at its end.
func Section(document, text string) string {
	before, rest, found := strings.Cut(document, Heading+"\n")
	if !found {
		return strings.TrimRight(document, "\n") + "\n\n" + Heading + "\n\n" + text
	}
	if at := strings.Index(rest, "\n## "); at >= 0 {
		return before + Heading + "\n\n" + strings.TrimRight(text, "\n") + "\n" + rest[at:]
	}
	return before + Heading + "\n\n" + text
}

// SectionText returns the text of the section about these cells: what was measured and how, the worst and the best
// cells, the tables, and the cells that miss a bar.
func SectionText(cells []*Cell) string {
	var b strings.Builder
	fmt.Fprintln(&b, `The matrix of real clusters (`+"`internal/tests/gen/real*.go`"+`) beside kube-scheduler's own code in one process. Nodes are full, of four
sizes, with about 30 pods each of many sizes and priorities; each row adds what its name says, and those that begin with openb are
of that trace. Times are CPU time for one decision, medians of rounds in which the two sides take turns, with how many times
faster than kube-scheduler with all nodes, filters included. Outrank always looks at all nodes. Both chose the same node and the
same victims, in whatever way outrank was asked: first ever, about a fresh snapshot; with a priority that was not seen before; with selectors, labels or
tolerations whose names were not seen before; the second time for a shape of the last kind; known; and after a pod has
changed. `+"`cd examples/kubescheduler && go run ./differential/cmd/real -raw ../../preemption/engine/testdata/real.jsonl -figures ../../preemption/engine/FIGURES.md`"+`
makes this section; `+"`-nodes 5000`"+` measures another size.`)
	fmt.Fprintln(&b)
	for _, said := range conditionsOf(cells) {
		fmt.Fprintln(&b, said)
	}
	fmt.Fprintln(&b)
	Write(&b, cells)

	if misses := Misses(cells); len(misses) > 0 {
		fmt.Fprintf(&b, "\n%d cells miss a bar:\n\n", len(misses))
		for _, m := range misses {
			fmt.Fprintln(&b, "- "+m)
		}
	}
	return b.String()
}

// conditionsOf returns a sentence for each of the conditions under which cells were measured.
func conditionsOf(cells []*Cell) (said []string) {
	for _, c := range cells {
		if line := "Measured: " + c.Conditions + "."; c.Conditions != "" && !slices.Contains(said, line) {
			said = append(said, line)
		}
	}
	return said
}
