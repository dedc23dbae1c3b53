package page

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// mostViews is the most resources by which the nodes can be shown.
const mostViews = 4

// findViews chooses the resources by which the nodes can be shown: cpu, memory, whatever else the pod asks for,
// and the number of pods if some node has no place for one more.
func (d *maker) findViews() {
	asked := d.pod.Requests()
	names := slices.DeleteFunc([]resource.Name{resource.CPU, resource.Memory}, func(name resource.Name) bool {
		return asked.Amount(name) == 0 && !d.offered(name)
	})

	for _, name := range asked.Names() {
		if name.Counted() && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}

	if len(names) < mostViews && d.crowded() {
		names = append(names, resource.Pods)
	}

	for i, name := range names[:min(len(names), mostViews)] {
		d.views = append(d.views, view{Name: name, Index: i, Asked: asked.Amount(name) > 0})
	}
	d.chooseView()
}

// offered reports whether any node has the resource. It is always true of cpu, so that there is at least one
// view.
func (d *maker) offered(name resource.Name) bool {
	for n := range d.snap.Nodes() {
		if n.Allocatable.Amount(name) > 0 {
			return true
		}
	}
	return name == resource.CPU
}

// crowded reports whether the number of pods has to be shown: it keeps the pod off some node, or a victim takes
// no other resource that could be shown.
func (d *maker) crowded() bool {
	for _, c := range slices.Concat(d.plan.TurnedDown, d.plan.Unhelpful) {
		if slices.Contains(c.Reasons, "Too many pods") {
			return true
		}
	}

	return slices.ContainsFunc(d.plan.Victims, func(v preemption.Victim) bool {
		return d.running(v.Pod, resource.CPU) == 0 && d.running(v.Pod, resource.Memory) == 0
	})
}

// chooseView marks the view that is shown first: the caller's, otherwise the one that is scarcest in the
// cluster among those that the pod asks for, otherwise the number of pods.
func (d *maker) chooseView() {
	best, most := 0, -1.0
	for i, v := range d.views {
		var used, offered float64
		for n := range d.snap.Nodes() {
			used += float64(d.snap.Used(n.Name, v.Name))
			offered += float64(n.Allocatable.Amount(v.Name))
		}

		if fill := fullness(used, offered); v.Asked && fill > most {
			best, most = i, fill
		}
		if v.Name == resource.Pods && most < 0 {
			best = i
		}
		// The caller's view gets a value that no other view reaches.
		if v.Name == d.in.Resource {
			best, most = i, 1e300
		}
	}
	d.views[best].Chosen = true
}

// fullness returns the taken part of the whole. It is above 1 if more is taken than offered, and negative if
// nothing is offered and nothing taken.
func fullness(used, offered float64) float64 {
	switch {
	case offered > 0:
		return used / offered
	case used > 0:
		return 1e9
	}
	return -1
}

// findShades finds the shades of each view.
func (d *maker) findShades() {
	for i := range d.views {
		d.shades = append(d.shades, newShades(d.fullness(func(m *member) float64 { return m.full[i] })))
	}
	d.shades = append(d.shades, newShades(d.fullness((*member).fullest)))
}

// fullness returns how full each node is, as measured by of.
func (d *maker) fullness(of func(*member) float64) (out []float64) {
	for _, m := range d.members {
		out = append(out, of(m))
	}
	return out
}

// legends returns the legends of the shades.
func (d *maker) legends() (out [][]shade) {
	for _, s := range d.shades {
		out = append(out, s.legend())
	}
	return out
}

// shown returns the index of the view that is shown first.
func (d *maker) shown() int {
	return slices.IndexFunc(d.views, func(v view) bool { return v.Chosen })
}

// filled returns how full a node is in each view, and the view in which it is fullest.
func (d *maker) filled(n *outrank.Node) (full []float64, scarcest int) {
	for i, v := range d.views {
		full = append(full, fullness(float64(d.snap.Used(n.Name, v.Name)), float64(n.Allocatable.Amount(v.Name))))
		if full[i] > full[scarcest] {
			scarcest = i
		}
	}
	return full, scarcest
}

// fullText puts a fullness into words.
func fullText(full float64) string {
	if full < 0 {
		return "none"
	}
	return share(full, 1)
}
