package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// tell prints one mutant and its verdict.
func tell(w io.Writer, number int, m *mutant, v verdict, verbose bool) {
	fmt.Fprintf(w, "%3d %-62s %-18s %s\n", number, m.place()+" "+m.function.Name, m.operator, v.text())
	if verbose || v.outcome == survived || v.outcome == unfounded {
		fmt.Fprintf(w, "      plain  %s\n      mutant %s\n", m.plain, m.changed)
		if m.nth > 1 {
			fmt.Fprintf(w, "      the %d. such change in this function\n", m.nth)
		}
	}
	if m.topic != nil {
		fmt.Fprintf(w, "      about %s\n", m.topic.name)
		tellBroken(w, m.topic, v.broken)
		return
	}
	if (verbose || v.outcome == unfounded) && v.sentence != "" {
		fmt.Fprintf(w, "      line %d of the output: %s\n", v.at, shortened(v.sentence))
	}
}

// tellBroken prints the invariants that do not hold with a mutant. Those whose name promises that they see it are
// marked.
func tellBroken(w io.Writer, t *topic, all []broken) {
	for _, b := range all {
		mark := " "
		if t.promises(b.test) {
			mark = "*"
		}
		fmt.Fprintf(w, "    %s %s, line %d: %s\n", mark, b.test, b.at, shortened(b.sentence))
	}
}

// tellPromises prints, topic by topic, how many mutants break an invariant whose name promises that it sees them.
func tellPromises(w io.Writer, mutants []*mutant, verdicts []verdict) {
	drawn, kept := map[string]int{}, map[string]int{}
	for i, m := range mutants {
		drawn[m.topic.name]++
		if slices.ContainsFunc(verdicts[i].broken, func(b broken) bool { return m.topic.promises(b.test) }) {
			kept[m.topic.name]++
		}
	}
	for _, t := range topics {
		if drawn[t.name] > 0 {
			fmt.Fprintf(w, "%s: %d of %d break an invariant whose name promises it\n", t.name, kept[t.name], drawn[t.name])
		}
	}
}

// text returns the verdict in a few words.
func (v verdict) text() string {
	switch {
	case v.outcome == equivalent:
		return "equivalent: " + shortened(v.reason)
	case v.by != "":
		return fmt.Sprintf("%s by %s", v.outcome, v.by)
	case !v.reached:
		return "survived: no test runs the function"
	}
	return string(v.outcome)
}

// shortened returns the beginning of a text.
func shortened(text string) string {
	const most = 220
	if len(text) <= most {
		return text
	}
	return text[:most] + "…"
}

// total prints how many mutants have which outcome, and reports whether every one was caught or is equivalent.
func total(w io.Writer, of int, verdicts []verdict) bool {
	count, by := map[outcome]int{}, map[string]int{}
	for _, v := range verdicts {
		count[v.outcome]++
		by[v.kind]++
	}
	var caughtBy []string
	for _, kind := range kinds {
		if by[kind] > 0 {
			caughtBy = append(caughtBy, fmt.Sprintf("%d by %s", by[kind], kind))
		}
	}
	fmt.Fprintf(w, "%d mutants of %d: %d caught (%s), %d equivalent, %d survived\n",
		len(verdicts), of, count[caught], strings.Join(caughtBy, ", "), count[equivalent], count[survived])
	if count[unfounded] > 0 {
		fmt.Fprintf(w, "%d are listed as equivalent, and a test sees them\n", count[unfounded])
	}
	return count[survived]+count[unfounded] == 0
}

// tellStages prints the stages that were needed: how long each takes without a mutant, how many mutants are in
// what it runs, and tests that are left out because they fail without one.
func (c *court) tellStages(w io.Writer, verbose bool) {
	var lines []string
	for s, x := range c.sessions {
		if verbose && x.met != nil {
			lines = append(lines, fmt.Sprintf("%-44s %-26s %4.0f s, runs the functions of %d mutants\n", s.folder, s.kind, x.took.Seconds(), len(x.met)))
		}
		if x.left != "" {
			lines = append(lines, fmt.Sprintf("%s: left out, because they fail without a mutant: %s\n", s.folder, x.left))
		}
	}
	slices.Sort(lines)
	fmt.Fprint(w, strings.Join(slices.Compact(lines), ""))
}
