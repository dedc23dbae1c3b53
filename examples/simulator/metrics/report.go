package metrics

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/outrank-go/outrank/examples/simulator/sim"
	"github.com/outrank-go/outrank/resource"
)

// Report has the metrics of a run up to a time. A job is a pod together with its successors: it begins when
// the first of them arrives, and has finished when one of them has finished. Times are in seconds. Every
// series has one value for each stretch of Width seconds; the last stretch may be cut off at the end. The
// report belongs to the caller.
type Report struct {
	Seconds float64 `json:"seconds"`
	Width   float64 `json:"widthSeconds"`
	// All is the group of all pods. Priorities has one group for each priority, the highest first, and
	// Tenants one for each tenant, by name. A pod counts in the groups to which it belonged on arrival.
	All        Group   `json:"all"`
	Priorities []Group `json:"priorities"`
	Tenants    []Group `json:"tenants"`
	// ByPriority and ByTenant say how equally these groups are served.
	ByPriority Fairness `json:"fairnessByPriority"`
	ByTenant   Fairness `json:"fairnessByTenant"`
	// Fragmentation is nil if it was not measured.
	Fragmentation *Fragments `json:"fragmentation,omitempty"`
}

// Group has the metrics of a group of pods.
type Group struct {
	// Name is the priority or the tenant.
	Name string `json:"name"`
	// Arrived counts the jobs that have begun, and Finished those that have finished.
	Arrived  int `json:"arrived"`
	Finished int `json:"finished"`
	// Completion is the time from the beginning of a job to its end, over all finished jobs. It is undefined
	// if there are none.
	Completion Spread `json:"completionSeconds"`
	// Slowdown is the completion time divided by the running time of the pod that finished, over all finished
	// jobs. A running time below Config.Shortest counts as Config.Shortest, and a slowdown is at least 1. It
	// has no unit, and is undefined if no job has finished.
	Slowdown Spread `json:"slowdown"`
	// Resources are in the order of the configuration.
	Resources []Use `json:"resources"`
	// DominantShare is the mean over time of the largest share that the pods hold of a resource's capacity.
	// It is undefined for a run of no length.
	DominantShare Figure `json:"dominantShare"`
	// LostSeconds is the running time of the pods that were evicted or lost with their node.
	LostSeconds float64 `json:"lostPodSeconds"`
	// Evictions counts evictions by cause, in the order of sim.Causes. Deletions do not count.
	Evictions []Evictions `json:"evictions"`
	Series    Series      `json:"series"`
}

// Use is the use of a resource during a run. Amounts are requests times seconds: core-seconds for cpu, and
// otherwise the unit of the resource times seconds.
type Use struct {
	Name resource.Name `json:"name"`
	// Held is what pods on nodes requested, from their binding on. It has five parts. Four are running time:
	// Good of pods that finished, Lost of pods that were evicted or lost with their node, Cut of pods that
	// were deleted, and Open of pods that still run at the end of the report. The rest was held before pods
	// ran.
	Held float64 `json:"held"`
	Good float64 `json:"good"`
	Lost float64 `json:"lost"`
	Cut  float64 `json:"cut"`
	Open float64 `json:"open"`
	// Utilisation is Held, and Goodput is Good, as a share of the capacity of all nodes over time; both are
	// undefined if there was no capacity. Efficiency is Good as a share of Good and Lost together; it is
	// undefined if both are 0.
	Utilisation Figure `json:"utilisation"`
	Goodput     Figure `json:"goodput"`
	Efficiency  Figure `json:"efficiency"`
}

// Evictions counts the evictions for one cause.
type Evictions struct {
	Cause string `json:"cause"`
	Pods  int    `json:"pods"`
}

// Series has the metrics of a group by stretch.
type Series struct {
	// Waiting and Running are the mean numbers of pods that wait for a node, and of pods on nodes.
	Waiting []Figure `json:"waiting"`
	Running []Figure `json:"running"`
	// Arrived and Finished count the jobs that began and that finished in the stretch.
	Arrived  []Figure `json:"arrived"`
	Finished []Figure `json:"finished"`
	// Completion and Slowdown are means over the jobs that finished in the stretch. They are undefined if
	// there are none.
	Completion    []Figure    `json:"completionSeconds"`
	Slowdown      []Figure    `json:"slowdown"`
	DominantShare []Figure    `json:"dominantShare"`
	Resources     []UseSeries `json:"resources"`
	// Evictions counts the evictions in the stretch, by cause as in Group.
	Evictions []EvictionSeries `json:"evictions"`
}

// UseSeries is the use of a resource by stretch. Good and lost work counts in the stretches in which it was
// done, although only the end of the pod tells which of the two it is. The work of pods that still run counts
// as neither.
type UseSeries struct {
	Name        resource.Name `json:"name"`
	Utilisation []Figure      `json:"utilisation"`
	Goodput     []Figure      `json:"goodput"`
	// Lost is the lost work as a share of the capacity.
	Lost []Figure `json:"lost"`
}

// EvictionSeries counts evictions for one cause by stretch.
type EvictionSeries struct {
	Cause string   `json:"cause"`
	Pods  []Figure `json:"pods"`
}

// Fairness says how equally groups are served, by [Jain]'s index.
type Fairness struct {
	// Shares is the index of the groups' mean dominant shares, over all groups that have had a pod. It is
	// undefined if none of them held anything.
	Shares Figure `json:"shares"`
	// Slowdowns is the index of the groups' mean slowdowns, over all groups with a finished job. It is
	// undefined if there are none.
	Slowdowns Figure `json:"slowdowns"`
	// Series has a value for each stretch: the mean over time of the index of the present dominant shares,
	// over the groups that have a pod at that time. It is undefined if no group holds anything during the
	// stretch.
	Series []Figure `json:"series"`
}

// Fragments says how much of a free resource typical pods cannot use; see [Fragmentation].
type Fragments struct {
	Resource resource.Name `json:"resource"`
	// Amount is the mean over time of the fragments of all nodes, in the unit of resource.Amount. It is
	// undefined for a run of no length.
	Amount Figure `json:"amount"`
	// Share is the fragments as a share of what is free, both over time. It is undefined if nothing is ever
	// free.
	Share Figure `json:"share"`
	// AmountSeries and ShareSeries are Amount and Share by stretch.
	AmountSeries []Figure `json:"amountSeries"`
	ShareSeries  []Figure `json:"shareSeries"`
}

// Report sums up the run until an end. An end before the last event counts as the time of that event. The run
// may continue afterwards. It takes as long as making the series and sorting the samples.
func (c *Collector) Report(end time.Duration) *Report {
	// The present state lasts up to the end.
	c.advance(end)
	c.renew()
	end = c.at

	open := c.open()
	r := &Report{Seconds: end.Seconds(), All: c.group(c.all, open), Priorities: []Group{}, Tenants: []Group{}}
	for _, value := range slices.Backward(slices.Sorted(maps.Keys(c.byPriority))) {
		r.Priorities = append(r.Priorities, c.group(c.byPriority[value], open))
	}
	for _, tenant := range slices.Sorted(maps.Keys(c.byTenant)) {
		r.Tenants = append(r.Tenants, c.group(c.byTenant[tenant], open))
	}

	r.ByPriority = c.priorities.whole(c.timeline, end)
	r.ByTenant = c.tenants.whole(c.timeline, end)
	if f := c.config.Fragmentation; f != nil {
		r.Fragmentation = &Fragments{
			Resource: f.Resource, Amount: over(c.unusable.total(), end.Seconds()), Share: over(c.unusable.total(), c.unused.total()),
			AmountSeries: c.timeline.means(end, c.unusable), ShareSeries: c.timeline.series(end, c.unusable, c.unused),
		}
	}

	// Making the series may have joined stretches, so the width is only known now.
	r.Width = c.timeline.seconds()
	return r
}

// open returns the work of the pods that still run, by account and resource. It adds them in the order of
// their keys, so that sums are always rounded alike.
func (c *Collector) open() map[*account][]float64 {
	sums := map[*account][]float64{}
	for _, key := range slices.Sorted(maps.Keys(c.lives)) {
		l := c.lives[key]
		if !l.begun {
			continue
		}
		for _, a := range l.accounts {
			if sums[a] == nil {
				sums[a] = make([]float64, len(c.resources))
			}
			for i, v := range l.demand {
				sums[a][i] += float64(v * (c.at - l.started).Seconds())
			}
		}
	}
	return sums
}

// group sums up an account. open is the work of the pods that still run.
func (c *Collector) group(a *account, open map[*account][]float64) Group {
	a.advance(c.at)
	g := Group{
		Name: a.name, Arrived: a.arrived, Finished: a.finished, Completion: spreadOf(a.flows), Slowdown: spreadOf(a.slowdowns),
		Resources: []Use{}, DominantShare: over(a.dominant.total(), c.at.Seconds()), LostSeconds: a.lostSeconds, Evictions: []Evictions{},
		Series: c.series(a),
	}
	for i := range c.resources {
		still := 0.0
		if o := open[a]; o != nil {
			still = o[i]
		}
		g.Resources = append(g.Resources, c.use(a, i, still))
	}
	for _, cause := range sim.Causes() {
		if cause.Lost() {
			g.Evictions = append(g.Evictions, Evictions{cause.String(), a.evicted[cause]})
		}
	}
	return g
}

// series returns the series of an account.
func (c *Collector) series(a *account) Series {
	end, t := c.at, c.timeline
	s := Series{
		Waiting: t.means(end, a.waiting), Running: t.means(end, a.running), Arrived: t.counts(end, a.arrivals), Finished: t.counts(end, a.ends),
		Completion: t.series(end, a.flow, a.ends), Slowdown: t.series(end, a.slowdown, a.ends), DominantShare: t.means(end, a.dominant),
		Resources: []UseSeries{}, Evictions: []EvictionSeries{},
	}
	for i, name := range c.resources {
		s.Resources = append(s.Resources, UseSeries{
			Name: name, Utilisation: t.series(end, a.held[i], c.offer[i]), Goodput: t.series(end, a.good[i], c.offer[i]), Lost: t.series(end, a.lost[i], c.offer[i]),
		})
	}
	for _, cause := range sim.Causes() {
		if cause.Lost() {
			s.Evictions = append(s.Evictions, EvictionSeries{cause.String(), t.counts(end, a.evictions[cause])})
		}
	}
	return s
}

// use returns an account's use of the i-th resource. open is the work of the pods that still run. Amounts of
// cpu are in thousandths of a core here, and in cores in the report.
func (c *Collector) use(a *account, i int, open float64) Use {
	name, unit := c.resources[i], 1.0
	if name == resource.CPU {
		unit = 1000
	}
	u := Use{
		Name: name, Held: a.held[i].total() / unit, Good: a.good[i].total() / unit, Lost: a.lost[i].total() / unit, Cut: a.cut[i].total() / unit,
		Open: open / unit,
	}

	capacity := c.offer[i].total() / unit
	u.Utilisation = over(u.Held, capacity)
	u.Goodput = over(u.Good, capacity)
	u.Efficiency = over(u.Good, u.Good+u.Lost)
	return u
}

// Evicted returns the number of evictions for all causes.
func (g *Group) Evicted() (n int) {
	for _, e := range g.Evictions {
		n += e.Pods
	}
	return n
}

// Use returns the use of a resource, and false if it was not measured.
func (g *Group) Use(name resource.Name) (Use, bool) {
	for _, u := range g.Resources {
		if u.Name == name {
			return u, true
		}
	}
	return Use{}, false
}

// WriteJSON writes the report as one indented JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}
