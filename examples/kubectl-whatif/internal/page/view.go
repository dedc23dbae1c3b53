package page

import (
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/resource"
)

// mostViews is the most resources that the nodes can be shown by.
const mostViews = 4

// findViews chooses the resources: cpu, memory and the others of the pod's
// request, and the number of pods where some node has no place for one more.
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

// offered reports whether any node has the resource.
func (d *maker) offered(name resource.Name) bool {
	for n := range d.in.Snapshot.Nodes() {
		if n.Allocatable.Amount(name) > 0 {
			return true
		}
	}
	return name == resource.CPU // there has to be one
}

// crowded reports whether the number of pods is an obstacle anywhere, or
// nothing else would show a victim.
func (d *maker) crowded() bool {
	for _, c := range slices.Concat(d.in.Explanation.TurnedDown, d.in.Explanation.Unhelpful) {
		if slices.Contains(c.Reasons, "Too many pods") {
			return true
		}
	}
	return slices.ContainsFunc(d.in.Explanation.Victims, func(v preemption.Victim) bool {
		return d.running(v.Pod, resource.CPU) == 0 && d.running(v.Pod, resource.Memory) == 0
	})
}

// chooseView marks the view that is shown at first: the caller's, or the
// scarcest in the cluster among the resources of the pod's request.
func (d *maker) chooseView() {
	best, most := 0, -1.0
	for i, v := range d.views {
		var used, offered float64
		for n := range d.in.Snapshot.Nodes() {
			used += float64(d.in.Snapshot.Used(n.Name, v.Name))
			offered += float64(n.Allocatable.Amount(v.Name))
		}
		if fill := fullness(used, offered); v.Asked && fill > most {
			best, most = i, fill
		}
		if v.Name == resource.Pods && most < 0 {
			best = i // the pod asks for nothing else
		}
		if v.Name == d.in.Resource {
			best, most = i, 1e300
		}
	}
	d.views[best].Chosen = true
}

// fullness is the taken part of the whole: above 1 where it is more than there
// is, and below 0 where nothing is offered and nothing taken.
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

func (d *maker) fullness(of func(*member) float64) (out []float64) {
	for _, m := range d.members {
		out = append(out, of(m))
	}
	return out
}

// legends are those of the shades.
func (d *maker) legends() (out [][]shade) {
	for _, s := range d.shades {
		out = append(out, s.legend())
	}
	return out
}

// shown is the view that is shown at first.
func (d *maker) shown() int {
	return slices.IndexFunc(d.views, func(v view) bool { return v.Chosen })
}

// filled is the fullness of the node in the resource of each view, and its
// scarcest one.
func (d *maker) filled(n *outrank.Node) (full []float64, scarcest int) {
	for i, v := range d.views {
		full = append(full, fullness(float64(d.in.Snapshot.Used(n.Name, v.Name)), float64(n.Allocatable.Amount(v.Name))))
		if full[i] > full[scarcest] {
			scarcest = i
		}
	}
	return full, scarcest
}

// fullText writes a fullness.
func fullText(full float64) string {
	if full < 0 {
		return "none"
	}
	return share(full, 1)
}
