package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// measured compares two builds: first the past one, then the present one.
type measured struct {
	rounds int
	builds [2]build
}

// allowed is the factor by which a figure may grow. Times are judged only if the two halves of the rounds
// differ by at most the factor agreed.
const (
	allowed = 1.10
	agreed  = 1.05
)

// figures maps the unit of a benchmark's figure to its smallest values in the even and in the odd rounds.
type figures map[string][2]float64

// lost measures a set and returns the names of the benchmarks that have lost.
func (m *measured) lost(w io.Writer, s set, verbose bool) ([]string, error) {
	found := [2]map[string]figures{{}, {}}
	rounds, absent := m.rounds, false
	if _, err := m.builds[0].folderOf(s); errors.Is(err, errAbsent) {
		rounds, absent = 1, true // to see that they run, and to name them
	}
	for round := range rounds {
		for turn := range m.builds {
			i := turn ^ round/2%2 // the builds take turns at being first
			if i == 0 && absent {
				continue
			}
			text, err := m.builds[i].run(s)
			if err != nil {
				return nil, err
			}
			for name, values := range parse(text) {
				note(found[i], name, values, round%2)
			}
		}
	}
	return report(w, found, verbose)
}

// note keeps the smallest values of one half of the rounds.
func note(all map[string]figures, name string, values map[string]float64, half int) {
	f := all[name]
	if f == nil {
		f = figures{}
		all[name] = f
	}
	for unit, v := range values {
		least, there := f[unit]
		if !there {
			least = [2]float64{math.Inf(1), math.Inf(1)}
		}
		least[half] = min(least[half], v)
		f[unit] = least
	}
}

// report prints the figures that have grown too much, and returns the names of their benchmarks. Benchmarks that the
// past build does not have are new, and nothing is said against them.
func report(w io.Writer, found [2]map[string]figures, verbose bool) (lost []string, err error) {
	if len(found[1]) == 0 && len(found[0]) == 0 {
		return nil, fmt.Errorf("no benchmark ran")
	}
	fresh := slices.DeleteFunc(slices.Sorted(maps.Keys(found[1])), func(name string) bool { return found[0][name] != nil })
	if len(fresh) > 0 {
		fmt.Fprintf(w, "NOT COMPARED: the earlier commit does not have %d benchmarks, from %s to %s\n", len(fresh), fresh[0], fresh[len(fresh)-1])
	}

	for _, name := range slices.Sorted(maps.Keys(found[0])) {
		now, there := found[1][name]
		if !there {
			return nil, fmt.Errorf("%s is gone: name another commit, and say in the change why", name)
		}
		for _, unit := range slices.Sorted(maps.Keys(found[0][name])) {
			switch verdict, ratio := judge(unit, found[0][name][unit], now[unit]); {
			case verdict == grown:
				fmt.Fprintf(w, "LOST %s: %.2f times the %s, %v before, %v now\n", name, ratio, unit, least(found[0][name][unit]), least(now[unit]))
				if !slices.Contains(lost, name) {
					lost = append(lost, name)
				}
			case verdict == unclear:
				fmt.Fprintf(w, "NO VERDICT %s: the machine does not allow one about its time, %.2f times\n", name, ratio)
			case verbose:
				fmt.Fprintf(w, "%s: %.2f times the %s, %v before, %v now\n", name, ratio, unit, least(found[0][name][unit]), least(now[unit]))
			}
		}
	}
	return lost, nil
}

// verdict is the outcome of a comparison of one figure.
type verdict int

const (
	kept    verdict = iota // the figure is within the bound
	grown                  // the figure is beyond the bound
	unclear                // the time is beyond the bound, but the halves of the rounds do not agree
)

// judge compares a figure before and now, and returns the ratio. A figure of 0 counts as 1, so that a single
// byte more than none is no loss.
func judge(unit string, before, now [2]float64) (verdict, float64) {
	ratio := least(now) / max(least(before), 1)
	if ratio <= allowed {
		return kept, ratio
	}
	if strings.HasPrefix(unit, "ns/") && (apart(before) > agreed || apart(now) > agreed) {
		return unclear, ratio
	}
	return grown, ratio
}

// least returns the smaller value of the two halves.
func least(halves [2]float64) float64 { return min(halves[0], halves[1]) }

// apart returns the factor between the two halves.
func apart(halves [2]float64) float64 { return max(halves[0], halves[1]) / least(halves) }

// parse reads the output of benchmarks: lines with a name, a count, and values with their units. Rates are
// left out, because more is better there.
func parse(text string) map[string]map[string]float64 {
	all := map[string]map[string]float64{}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		values := map[string]float64{}
		for i := 2; i+1 < len(words); i += 2 {
			if v, err := strconv.ParseFloat(words[i], 64); err == nil && !strings.HasSuffix(words[i+1], "/s") {
				values[words[i+1]] = v
			}
		}
		all[words[0]] = values
	}
	return all
}
