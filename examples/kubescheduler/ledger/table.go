package ledger

import (
	"fmt"
	"slices"
	"strings"
)

// Verdict says what a field does.
type Verdict string

// The verdicts. Unknown is that of a field about which nobody has said anything yet.
const (
	Decides Verdict = "decides"
	Cannot  Verdict = "cannot"
	Told    Verdict = "told"
	Unknown Verdict = "?"
)

// Line is what a table says of one field.
type Line struct {
	Path    string
	Verdict Verdict
	// Where says where it is seen that the field decides or is told, or why it cannot decide.
	Where string
}

// Table is one of the tables: text for its readers, the reasons that its lines refer to, and the lines.
type Table struct {
	// Head are the lines at the top, each of which begins with "#".
	Head []string
	// Reasons has the text of each reason by its name. Its lines begin with "reason".
	Reasons map[string]string
	Lines   []Line
}

// Parse reads a table.
func Parse(text string) (*Table, error) {
	t := &Table{Reasons: map[string]string{}}
	for i, line := range strings.Split(text, "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case strings.HasPrefix(line, "#"):
			t.Head = append(t.Head, line)
		case words[0] == "reason" && len(words) > 2:
			t.Reasons[strings.TrimSuffix(words[1], ":")] = strings.Join(words[2:], " ")
		case len(words) < 2 || !slices.Contains([]Verdict{Decides, Cannot, Told, Unknown}, Verdict(words[1])):
			return nil, fmt.Errorf("line %d: want PATH VERDICT WHERE", i+1)
		default:
			t.Lines = append(t.Lines, Line{words[0], Verdict(words[1]), strings.Join(words[2:], " ")})
		}
	}
	return t, nil
}

// String returns the text of the table. There is an empty line where the kind changes.
func (t *Table) String() string {
	var b strings.Builder
	for _, line := range t.Head {
		fmt.Fprintln(&b, line)
	}
	if len(t.Reasons) > 0 {
		fmt.Fprintln(&b)
	}
	names := make([]string, 0, len(t.Reasons))
	for name := range t.Reasons {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "reason %s: %s\n", name, t.Reasons[name])
	}

	kind := ""
	for _, l := range t.Lines {
		if of, _, _ := strings.Cut(l.Path, "."); of != kind {
			kind = of
			fmt.Fprintln(&b)
		}
		fmt.Fprintln(&b, strings.TrimRight(fmt.Sprintf("%-64s %-8s %s", l.Path, l.Verdict, l.Where), " "))
	}
	return b.String()
}

// Anew returns the table with a line for each of the paths, in their order: the one that it has, or one without a
// verdict. gone lists the paths of lines that are left out, because there is no such field.
func (t *Table) Anew(paths []string) (anew *Table, gone []string) {
	known := map[string]Line{}
	for _, l := range t.Lines {
		known[l.Path] = l
	}

	anew = &Table{Head: t.Head, Reasons: t.Reasons}
	for _, path := range paths {
		line, ok := known[path]
		if !ok {
			line = Line{Path: path, Verdict: Unknown}
		}
		anew.Lines = append(anew.Lines, line)
		delete(known, path)
	}

	for _, l := range t.Lines {
		if _, left := known[l.Path]; left {
			gone = append(gone, l.Path)
		}
	}
	return anew, gone
}

// Missing lists the paths of the lines without a verdict.
func (t *Table) Missing() (paths []string) {
	for _, l := range t.Lines {
		if l.Verdict == Unknown {
			paths = append(paths, l.Path)
		}
	}
	return paths
}
