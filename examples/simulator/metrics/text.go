package metrics

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/resource"
)

// mostRows is the most rows of the table over time.
const mostRows = 12

// WriteText writes the report for people. A dash stands for an undefined figure. The table over time joins
// stretches until there are at most a dozen.
func (r *Report) WriteText(w io.Writer) error {
	var b bytes.Buffer
	r.writeJobs(&b)
	r.writeResources(&b)
	r.writeEvictions(&b)
	r.writeFairness(&b)
	r.writeSeries(&b)
	_, err := w.Write(b.Bytes())
	return err
}

// groups returns the groups to show, with their names. If there is only one priority or tenant, it is left
// out, because it equals the group of all pods.
func (r *Report) groups() (groups []*Group, names []string) {
	groups = append(groups, &r.All)
	names = append(names, "all")
	for _, x := range []struct {
		kind string
		list []Group
	}{{"priority ", r.Priorities}, {"tenant ", r.Tenants}} {
		for i := range x.list {
			if len(x.list) > 1 {
				groups = append(groups, &x.list[i])
				names = append(names, x.kind+x.list[i].Name)
			}
		}
	}
	return groups, names
}

// writeJobs writes the completion times and slowdowns of all groups.
func (r *Report) writeJobs(w io.Writer) {
	fmt.Fprint(w, "Jobs\n")
	t := report.Table{Right: right(1, 9)}
	t.Add("", "arrived", "finished", "completion", "median", "p95", "slowdown", "median", "p95")
	groups, names := r.groups()
	for i, g := range groups {
		t.Add("  "+names[i], report.Count(g.Arrived), report.Count(g.Finished),
			seconds(g.Completion.Mean), seconds(g.Completion.Median), seconds(g.Completion.P95),
			decimal(g.Slowdown.Mean), decimal(g.Slowdown.Median), decimal(g.Slowdown.P95))
	}
	t.Write(w)
}

// writeResources writes the use of the resources. Only the first row of a group has its name.
func (r *Report) writeResources(w io.Writer) {
	fmt.Fprint(w, "\nResources, as shares of the capacity over time\n")
	t := report.Table{Right: right(2, 6)}
	t.Add("", "", "utilisation", "goodput", "efficiency", "lost hours")
	groups, names := r.groups()
	for i, g := range groups {
		for _, u := range g.Resources {
			name, lost := shown(u)
			t.Add("  "+names[i], name, percent(u.Utilisation), percent(u.Goodput), percent(u.Efficiency), lost)
			names[i] = ""
		}
	}
	t.Write(w)
}

// shown returns the name of a resource, and its lost work in hours times its unit, or in GiB-hours for memory
// and storage.
func shown(u Use) (name, lost string) {
	hours := u.Lost / 3600
	if u.Name == resource.Memory || u.Name == resource.EphemeralStorage {
		return string(u.Name) + " (GiB)", decimal(Figure(hours / (1 << 30)))
	}
	return string(u.Name), decimal(Figure(hours))
}

// writeEvictions writes the evictions, with a column for each cause that occurred.
func (r *Report) writeEvictions(w io.Writer) {
	fmt.Fprint(w, "\nEvictions by cause\n")
	if r.All.Evicted() == 0 {
		fmt.Fprintln(w, "  none")
		return
	}

	groups, names := r.groups()
	t := report.Table{Right: right(1, len(r.All.Evictions)+2)}
	heading := []string{"", "all"}
	for _, e := range r.All.Evictions {
		if e.Pods > 0 {
			heading = append(heading, e.Cause)
		}
	}
	t.Add(heading...)

	for i, g := range groups {
		row := []string{"  " + names[i], report.Count(g.Evicted())}
		for k, e := range g.Evictions {
			if r.All.Evictions[k].Pods > 0 {
				row = append(row, report.Count(e.Pods))
			}
		}
		t.Add(row...)
	}
	t.Write(w)
}

// writeFairness writes the fairness, and the fragmentation if it was measured.
func (r *Report) writeFairness(w io.Writer) {
	fmt.Fprint(w, "\nFairness, by Jain's index: 1 for equals\n")
	t := report.Table{Right: right(1, 3)}
	t.Add("", "dominant shares", "slowdowns")
	t.Add("  priorities", decimal(r.ByPriority.Shares), decimal(r.ByPriority.Slowdowns))
	t.Add("  tenants", decimal(r.ByTenant.Shares), decimal(r.ByTenant.Slowdowns))
	t.Write(w)
	if f := r.Fragmentation; f != nil {
		fmt.Fprintf(w, "\nFragmentation of %s: %s of what is free is of no use to a typical pod\n", f.Resource, percent(f.Share))
	}
}

// writeSeries writes the series of all pods.
func (r *Report) writeSeries(w io.Writer) {
	fmt.Fprint(w, "\nOver time\n")
	all := r.All
	all.Series.write(w, r)
}

// write writes the series of a report as a table. Each row joins several stretches.
func (s *Series) write(w io.Writer, r *Report) {
	heading := []string{"  from", "waiting", "running", "finished", "slowdown", "evicted"}
	for _, u := range s.Resources {
		heading = append(heading, string(u.Name), "good")
	}
	heading = append(heading, "fair: priorities", "fair: tenants")
	if r.Fragmentation != nil {
		heading = append(heading, "fragments")
	}

	t := report.Table{Right: right(0, len(heading))}
	t.Add(heading...)

	each := (len(s.Waiting) + mostRows - 1) / mostRows
	for from := 0; from < len(s.Waiting); from += each {
		to := min(from+each, len(s.Waiting))

		row := []string{
			report.Seconds(float64(from) * r.Width), decimal(mean(s.Waiting[from:to])), decimal(mean(s.Running[from:to])),
			count(sum(s.Finished[from:to])), decimal(weighted(s.Slowdown[from:to], s.Finished[from:to])), count(s.evicted(from, to)),
		}

		for _, u := range s.Resources {
			row = append(row, percent(mean(u.Utilisation[from:to])), percent(mean(u.Goodput[from:to])))
		}

		row = append(row, decimal(mean(r.ByPriority.Series[from:to])), decimal(mean(r.ByTenant.Series[from:to])))
		if f := r.Fragmentation; f != nil {
			row = append(row, percent(mean(f.ShareSeries[from:to])))
		}
		t.Add(row...)
	}
	t.Write(w)
}

// evicted returns the number of evictions in some stretches.
func (s *Series) evicted(from, to int) (n Figure) {
	for _, e := range s.Evictions {
		n += sum(e.Pods[from:to])
	}
	return n
}

// sum returns the sum of figures.
func sum(list []Figure) (n Figure) {
	for _, v := range list {
		n += v
	}
	return n
}

// mean returns the mean of the defined values.
func mean(list []Figure) Figure {
	total, known := Figure(0), 0
	for _, v := range list {
		if v.Defined() {
			total += v
			known++
		}
	}
	return over(float64(total), float64(known))
}

// weighted returns the weighted mean of the defined values.
func weighted(list, weights []Figure) Figure {
	total, by := 0.0, 0.0
	for i, v := range list {
		if v.Defined() {
			total += float64(v * weights[i])
			by += float64(weights[i])
		}
	}
	return over(total, by)
}

// right returns the columns with numbers from from to to-1, for [report.Table].Right.
func right(from, to int) map[int]bool {
	columns := map[int]bool{}
	for i := from; i < to; i++ {
		columns[i] = true
	}
	return columns
}

// orDash formats a figure, or returns a dash for an undefined one.
func orDash(f Figure, text func(float64) string) string {
	if !f.Defined() {
		return "-"
	}
	return text(float64(f))
}

func seconds(f Figure) string { return orDash(f, report.Seconds) }

func percent(f Figure) string {
	return orDash(f, func(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) + "%" })
}

func decimal(f Figure) string {
	return orDash(f, func(v float64) string {
		if v < 1000 {
			return strconv.FormatFloat(v, 'f', 2, 64)
		}
		return report.Count(int(min(v, 1e18)))
	})
}

func count(f Figure) string {
	return orDash(f, func(v float64) string { return report.Count(int(min(v, 1e18))) })
}
