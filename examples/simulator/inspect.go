package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/simulator/chart"
	"github.com/outrank-go/outrank/examples/simulator/report"
	"github.com/outrank-go/outrank/examples/simulator/workload"
)

// inputSummary is the answer to -inspect: a description of the input.
type inputSummary struct {
	Nodes    int       `json:"nodes"`
	Capacity amounts   `json:"capacity"`
	Pods     int       `json:"pods"`
	Seconds  float64   `json:"secondsOfArrivals"`
	Classes  []class   `json:"classes"`
	Demand   []stretch `json:"demand"`
	// Unplaceable counts the pods that do not fit any node of the cluster, even if it is empty.
	Unplaceable int `json:"unplaceable"`
}

// amounts are in units for people: cores, GiB, and whole GPUs.
type amounts struct {
	Cores  float64 `json:"cores"`
	Memory float64 `json:"memoryGiB"`
	GPUs   float64 `json:"gpus"`
}

func amountsOf(a workload.Amounts) amounts {
	return amounts{float64(a.MilliCPU) / 1000, float64(a.Memory) / (1 << 30), float64(a.MilliGPU) / 1000}
}

// class sums up the pods of a service class.
type class struct {
	Name     string  `json:"class"`
	Priority int32   `json:"priority"`
	Pods     int     `json:"pods"`
	Endless  int     `json:"endless"`
	Asks     amounts `json:"asks"` // of all pods together
	// MedianSeconds is a running time that half of the pods that end do not exceed.
	MedianSeconds float64 `json:"medianSeconds"`
}

// stretch is a tenth of the time in which pods arrive. CPU, Memory and GPU are the mean demand of the pods
// that would run, as shares of the capacity.
type stretch struct {
	From     float64 `json:"from"`
	Arrivals int     `json:"arrivals"`
	Pods     float64 `json:"meanPods"`
	CPU      float64 `json:"cpu"`
	Memory   float64 `json:"memory"`
	GPU      float64 `json:"gpu"`
}

// stretches is the number of stretches of a description.
const stretches = 10

// summary describes the input.
func (in *input) summary() *inputSummary {
	return &inputSummary{
		Nodes: len(in.nodes), Capacity: amountsOf(workload.Capacity(in.nodes)),
		Pods: len(in.items), Seconds: in.lastArrival().Seconds(),
		Classes: in.classes(), Demand: in.demand(), Unplaceable: in.unplaceable(),
	}
}

// lastArrival returns the time at which the last pod arrives, or 0 without pods.
func (in *input) lastArrival() time.Duration {
	if len(in.items) == 0 {
		return 0
	}
	return in.items[len(in.items)-1].Arrival
}

// classes sums up the pods by class, the highest priority first, and equals by name.
func (in *input) classes() []class {
	byName := map[string]*class{}
	sums, ends := map[string]workload.Amounts{}, map[string][]time.Duration{}

	for i := range in.items {
		item := &in.items[i]
		c := byName[item.Class]
		if c == nil {
			c = &class{Name: item.Class, Priority: item.Pod.PriorityValue()}
			byName[item.Class] = c
		}

		c.Pods++
		sums[c.Name] = sums[c.Name].Plus(item.Asks())
		if item.Endless {
			c.Endless++
		} else {
			ends[c.Name] = append(ends[c.Name], item.Duration)
		}
	}

	out := make([]class, 0, len(byName))
	for name, c := range byName {
		c.Asks = amountsOf(sums[name])
		if d := ends[name]; len(d) > 0 {
			slices.Sort(d)
			c.MedianSeconds = d[(len(d)-1)/2].Seconds()
		}
		out = append(out, *c)
	}

	slices.SortFunc(out, func(a, b class) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// demand measures the stretches. It returns none if all pods arrive at once.
func (in *input) demand() []stretch {
	width := in.lastArrival() / stretches
	if width == 0 {
		return []stretch{}
	}
	out := make([]stretch, stretches)
	for i := range out {
		out[i].From = (time.Duration(i) * width).Seconds()
	}

	// The last arrival is at the end of the last stretch, and counts there.
	for i := range in.items {
		out[min(int(in.items[i].Arrival/width), stretches-1)].Arrivals++
	}

	// The demand of a point lasts until the next point. It counts in each stretch by the part of the stretch
	// that it covers.
	capacity := amountsOf(workload.Capacity(in.nodes))
	points := workload.Demand(in.items)
	for i, p := range points {
		until := stretches * width
		if i+1 < len(points) {
			until = min(until, points[i+1].Time)
		}

		for k := range out {
			from, to := time.Duration(k)*width, time.Duration(k+1)*width
			if d := min(until, to) - max(p.Time, from); d > 0 {
				out[k].add(&p, capacity, float64(d)/float64(width))
			}
		}
	}
	return out
}

// add adds a demand that lasts for a part of the stretch.
func (s *stretch) add(p *workload.Point, capacity amounts, part float64) {
	asked := amountsOf(p.Asked)
	s.Pods += float64(float64(p.Pods) * part)
	s.CPU += float64(share(asked.Cores, capacity.Cores) * part)
	s.Memory += float64(share(asked.Memory, capacity.Memory) * part)
	s.GPU += float64(share(asked.GPUs, capacity.GPUs) * part)
}

// share returns the used part of a capacity, or 0 without a capacity.
func share(used, capacity float64) float64 {
	if capacity == 0 {
		return 0
	}
	return used / capacity
}

// unplaceable counts the pods that do not fit any empty node. It compares each pod with each kind of node.
func (in *input) unplaceable() int {
	type kind struct {
		model string
		has   workload.Amounts
	}
	kinds := map[kind]bool{}
	for _, n := range in.nodes {
		kinds[kind{n.Labels[workload.ModelLabel], workload.AmountsOf(n.Allocatable)}] = true
	}

	count := 0
	for i := range in.items {
		asks, fits := in.items[i].Asks(), false
		for k := range kinds {
			left := k.has.Minus(asks)
			fits = fits || left.MilliCPU >= 0 && left.Memory >= 0 && left.MilliGPU >= 0 && mayUse(in.items[i].Pod, k.model)
		}
		if !fits {
			count++
		}
	}
	return count
}

// mayUse reports whether the pod may use this model of GPU. It relies on package workload, which gives a pod
// that names models exactly one term with one expression.
func mayUse(p *outrank.Pod, model string) bool {
	models := p.Affinity.NodeAffinity
	return models == nil || slices.Contains(models.NodeSelectorTerms[0].MatchExpressions[0].Values, model)
}

// writeArrivals writes a line for every pod that arrives, until the context ends.
func (in *input) writeArrivals(ctx context.Context, w io.Writer) error {
	l := report.NewLog(w)
	for i := range in.items {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		item := &in.items[i]
		a := amountsOf(item.Asks())
		l.Add(report.Event{Time: item.Arrival, Kind: "arrive", Pod: string(item.Pod.Key()), Details: fmt.Sprintf(
			"class %s, priority %d, %g cores, %g GiB, %g GPUs", item.Class, item.Pod.PriorityValue(), a.Cores, a.Memory, a.GPUs)})
	}
	return l.Close()
}

// drawDemand draws the demand of the pods if each ran from its arrival.
func (in *input) drawDemand(o *options, w io.Writer) error {
	r := chart.NewRecorder("cpu", "memory", "GPUs")
	capacity := amountsOf(workload.Capacity(in.nodes))
	for _, p := range workload.Demand(in.items) {
		a := amountsOf(p.Asked)
		err := r.Add(chart.Sample{Time: p.Time, Levels: []chart.Level{
			{Used: a.Cores, Capacity: capacity.Cores},
			{Used: a.Memory, Capacity: capacity.Memory},
			{Used: a.GPUs, Capacity: capacity.GPUs},
		}})
		if err != nil {
			return err
		}
	}

	caption := chart.Caption{
		Title: fmt.Sprintf("%s nodes, %s pods: what all pods ask for if none has to wait", report.Count(len(in.nodes)), report.Count(len(in.items))),
		Lines: []string{o.calledWith()}, Demand: true,
	}
	return chart.Write(w, caption, r.Series(in.lastArrival()))
}
