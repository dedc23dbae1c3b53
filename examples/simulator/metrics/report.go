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

// Report has the metrics of a run up to a time. A job is a pod together with those that are made in its
// place: it begins when the first of them comes, and has finished when one comes to its end. Times
// are in seconds. Every series has one value for each stretch of Width seconds, the last of which the
// end may cut off. The report belongs to the caller.
type Report struct {
	Seconds float64 `json:"seconds"`
	Width   float64 `json:"widthSeconds"`
	// All is about all pods, Priorities about those of each priority, the highest first, and Tenants
	// about those of each tenant, by name. A pod counts where it belonged when it came.
	All        Group   `json:"all"`
	Priorities []Group `json:"priorities"`
	Tenants    []Group `json:"tenants"`
	// Fairness is how equally these are served.
	ByPriority Fairness `json:"fairnessByPriority"`
	ByTenant   Fairness `json:"fairnessByTenant"`
	// Fragmentation is nil where it was not asked for.
	Fragmentation *Fragments `json:"fragmentation,omitempty"`
}

// Group is the pods of one kind.
type Group struct {
	// Name is the priority or the tenant.
	Name string `json:"name"`
	// Arrived counts the jobs that have come, and Finished those that have finished.
	Arrived  int `json:"arrived"`
	Finished int `json:"finished"`
	// Completion is the time from the beginning of a job to its end, over those that have finished;
	// undefined where none has.
	Completion Spread `json:"completionSeconds"`
	// Slowdown is that time over the running time of the pod that finished, which counts as
	// Config.Shortest where it is shorter; 1 at the least. It has no unit, is over the jobs that
	// have finished, and is undefined where none has.
	Slowdown Spread `json:"slowdown"`
	// Resources are in the order of the configuration.
	Resources []Use `json:"resources"`
	// DominantShare is the mean over time of the largest share of a resource's capacity that the pods
	// hold; undefined for a run without a length.
	DominantShare Figure `json:"dominantShare"`
	// LostSeconds is the running time of the pods that left by an eviction or with their node.
	LostSeconds float64 `json:"lostPodSeconds"`
	// Evictions counts pods by the cause for which they had to go, in the order of sim.Causes; pods
	// that were deleted are not among them.
	Evictions []Evictions `json:"evictions"`
	Series    Series      `json:"series"`
}

// Use is a resource over a run. Amounts are requests times seconds: core-seconds of cpu, and
// unit-seconds of what any other resource counts.
type Use struct {
	Name resource.Name `json:"name"`
	// Held is what pods on nodes asked for, from their binding on. Of it Good belongs to the running
	// time of pods that came to their end, Lost to that of pods that were evicted or lost with their
	// node, Cut to that of pods that were deleted, and Open to that of pods that run on at the end of
	// the report. What is left was spent before pods ran.
	Held float64 `json:"held"`
	Good float64 `json:"good"`
	Lost float64 `json:"lost"`
	Cut  float64 `json:"cut"`
	Open float64 `json:"open"`
	// Utilisation is Held, and Goodput is Good, as a share of the capacity of all nodes over time;
	// undefined where there was none. Efficiency is Good as a share of Good and Lost; undefined where
	// both are nothing.
	Utilisation Figure `json:"utilisation"`
	Goodput     Figure `json:"goodput"`
	Efficiency  Figure `json:"efficiency"`
}

// Evictions counts the pods that had to go for one cause.
type Evictions struct {
	Cause string `json:"cause"`
	Pods  int    `json:"pods"`
}

// Series are the same metrics by stretch.
type Series struct {
	// Waiting and Running are the mean numbers of pods that wait for a node, and that are on one.
	Waiting []Figure `json:"waiting"`
	Running []Figure `json:"running"`
	// Arrived and Finished count the jobs that came and finished in the stretch.
	Arrived  []Figure `json:"arrived"`
	Finished []Figure `json:"finished"`
	// Completion and Slowdown are means over the jobs that finished in the stretch; undefined where
	// none did.
	Completion    []Figure    `json:"completionSeconds"`
	Slowdown      []Figure    `json:"slowdown"`
	DominantShare []Figure    `json:"dominantShare"`
	Resources     []UseSeries `json:"resources"`
	// Evictions counts the pods that had to go in the stretch, by cause as in Group.
	Evictions []EvictionSeries `json:"evictions"`
}

// UseSeries is a resource by stretch. Good and lost work stands in the stretches in which it was done:
// what becomes of it shows later. That of pods that run on is in neither.
type UseSeries struct {
	Name        resource.Name `json:"name"`
	Utilisation []Figure      `json:"utilisation"`
	Goodput     []Figure      `json:"goodput"`
	// Lost is lost work as a share of the capacity.
	Lost []Figure `json:"lost"`
}

// EvictionSeries counts evictions for one cause by stretch.
type EvictionSeries struct {
	Cause string   `json:"cause"`
	Pods  []Figure `json:"pods"`
}

// Fairness is how equally groups are served, by [Jain]'s index.
type Fairness struct {
	// Shares is the index of the groups' mean dominant shares, over all groups that have had a pod;
	// undefined where none held anything.
	Shares Figure `json:"shares"`
	// Slowdowns is the index of the groups' mean slowdowns, over those of which a job has finished;
	// undefined where none has.
	Slowdowns Figure `json:"slowdowns"`
	// Series is the mean over the stretch of the index of the groups' dominant shares of the moment,
	// over the groups that have a pod then; undefined where none holds anything all the while.
	Series []Figure `json:"series"`
}

// Fragments is how much of a free resource typical pods cannot use: see [Fragmentation].
type Fragments struct {
	Resource resource.Name `json:"resource"`
	// Amount is the mean over time of the fragments of all nodes, in the unit of resource.Amount;
	// undefined for a run without a length.
	Amount Figure `json:"amount"`
	// Share is the fragments as a share of what is free, both over time; undefined where nothing
	// ever is.
	Share Figure `json:"share"`
	// AmountSeries and ShareSeries are the same by stretch.
	AmountSeries []Figure `json:"amountSeries"`
	ShareSeries  []Figure `json:"shareSeries"`
}

// Report sums up the run until an end, which counts as the time of the last event if it is earlier.
// The run may go on afterwards. Time is that of the series and of sorting the samples.
func (c *Collector) Report(end time.Duration) *Report {
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
	r.ByPriority, r.ByTenant = c.priorities.whole(c.timeline, end), c.tenants.whole(c.timeline, end)
	if c.fragments != nil {
		r.Fragmentation = &Fragments{
			Resource: c.config.Fragmentation.Resource, Amount: over(c.unusable.total(), end.Seconds()), Share: over(c.unusable.total(), c.unused.total()),
			AmountSeries: c.timeline.means(end, c.unusable), ShareSeries: c.timeline.series(end, c.unusable, c.unused),
		}
	}
	r.Width = c.timeline.width.Seconds()
	return r
}

// open is the work of the pods that run on, by account and resource.
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

func (c *Collector) group(a *account, open map[*account][]float64) Group {
	a.advance(c.at)
	end, t := c.at, c.timeline
	g := Group{
		Name: a.name, Arrived: a.arrived, Finished: a.finished, Completion: spreadOf(a.flows), Slowdown: spreadOf(a.slowdowns),
		Resources: []Use{}, DominantShare: over(a.dominant.total(), end.Seconds()), LostSeconds: a.lostSeconds, Evictions: []Evictions{},
		Series: Series{
			Waiting: t.means(end, a.waiting), Running: t.means(end, a.running), Arrived: t.counts(end, a.arrivals), Finished: t.counts(end, a.ends),
			Completion: t.series(end, a.flow, a.ends), Slowdown: t.series(end, a.slowdown, a.ends), DominantShare: t.means(end, a.dominant),
			Resources: []UseSeries{}, Evictions: []EvictionSeries{},
		},
	}
	for i, name := range c.resources {
		unit := 1.0
		if name == resource.CPU {
			unit = 1000
		}
		u := Use{Name: name, Held: a.held[i].total() / unit, Good: a.good[i].total() / unit, Lost: a.lost[i].total() / unit, Cut: a.cut[i].total() / unit}
		if o := open[a]; o != nil {
			u.Open = o[i] / unit
		}
		capacity := c.offer[i].total() / unit
		u.Utilisation, u.Goodput, u.Efficiency = over(u.Held, capacity), over(u.Good, capacity), over(u.Good, u.Good+u.Lost)
		g.Resources = append(g.Resources, u)
		g.Series.Resources = append(g.Series.Resources, UseSeries{
			Name: name, Utilisation: t.series(end, a.held[i], c.offer[i]), Goodput: t.series(end, a.good[i], c.offer[i]), Lost: t.series(end, a.lost[i], c.offer[i]),
		})
	}
	for _, cause := range sim.Causes() {
		if cause.Lost() {
			g.Evictions = append(g.Evictions, Evictions{cause.String(), a.evicted[cause]})
			g.Series.Evictions = append(g.Series.Evictions, EvictionSeries{cause.String(), t.counts(end, a.evictions[cause])})
		}
	}
	return g
}

// Evicted is the number of evictions for all causes together.
func (g *Group) Evicted() (n int) {
	for _, e := range g.Evictions {
		n += e.Pods
	}
	return n
}

// Use returns the use of a resource; false where it is not measured.
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
