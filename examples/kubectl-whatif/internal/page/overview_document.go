package page

import (
	"bytes"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// WriteOverview writes a page about a whole cluster, with the properties of the
// page of [Write]. It writes nothing unless it has the whole page. The error is
// [ErrNoSnapshot] or the writer's.
//
// Time and the size of the page are linear in the nodes, in the pods of the nodes
// that are drawn pod by pod, and in the tables, which the caller bounds by
// [MostRows]. WriteOverview only reads the input.
func WriteOverview(w io.Writer, in Overview) error {
	if in.Snapshot == nil {
		return ErrNoSnapshot
	}
	var out bytes.Buffer
	if err := pageTemplate.ExecuteTemplate(&out, "overview", newOverviewDocument(&in)); err != nil {
		return err
	}
	_, err := out.WriteTo(w)
	return err
}

// overviewDocument has the data for the template of an overview.
type overviewDocument struct {
	Frame    frame
	Cluster  pictures
	Headline string
	Figures  []Figure
	Tables   []Table
	// Arrive says that some pod arrives. May says that nobody really leaves.
	Arrive, May bool
	// MoreRows is the number of nodes on which something changes and that are not drawn.
	MoreRows int
	// Large says that the cluster is drawn as a field of cells.
	Large bool
}

// newOverviewDocument collects everything that the page of an overview says and shows.
func newOverviewDocument(in *Overview) *overviewDocument {
	d := newOverviewMaker(in)
	doc := &overviewDocument{
		Frame:    newFrame(in.Title, in.Source, in.Snapshot, in.Now),
		Cluster:  pictures{Views: d.base.views, Shades: d.base.legends(), Sorted: string(d.base.views[d.base.shown()].Name), Plain: !in.May, Origins: d.listed()},
		Headline: in.Headline, Figures: in.Figures, Tables: in.Tables, Arrive: len(in.Come) > 0, May: in.May,
	}

	f := &doc.Frame
	f.Outcome, f.Summary, f.Caveats, f.Todo = "overview", in.Summary, in.Caveats, orNothing(in.Todo)
	if in.May {
		doc.Cluster.Below = d.base.scale
	}

	doc.Large = !d.base.detailed()
	doc.Cluster.Rows, doc.MoreRows = d.overviewRows()
	doc.Cluster.Panels = d.overviewPanels(len(doc.Cluster.Rows))
	doc.Cluster.explain(nil)
	return doc
}

// newOverviewMaker makes a maker that has found its views, members, origins and shades. In place of the pod of
// a decision it uses a pod that asks for everything that the arriving pods ask for, so that the nodes are shown
// by those resources.
func newOverviewMaker(in *Overview) *overviewMaker {
	d := &overviewMaker{over: in, snap: in.Snapshot, leaving: map[outrank.Key]string{}, moves: map[outrank.Key]bool{}, coming: map[string][]Arrival{}, gone: map[string]bool{}}
	for _, m := range in.Leave {
		d.leaving[m.Key] = m.Note
	}
	for _, name := range in.Gone {
		d.gone[name] = true
	}

	// The stand-in for the preemptor requests every resource that an arriving pod requests.
	requests := resource.List{}
	for _, a := range in.Come {
		d.coming[a.Node] = append(d.coming[a.Node], a)
		d.moves[a.Pod.Key()] = true
		for name, q := range a.Pod.Requests() {
			// A request of zero does not make a resource relevant.
			if q.Sign() > 0 {
				requests[name] = q
			}
		}
	}

	shown := in.Resource
	if shown == "" {
		shown = scarcestFor(in)
	}
	d.base = newMakerOf(
		&Input{Snapshot: in.Snapshot, Explanation: &preemption.Plan{}, Report: &explain.Report{}, Resource: shown},
		&outrank.Pod{Name: "all", Containers: []outrank.Container{{Requests: requests}}},
	)

	d.base.scale = newScale(in.Snapshot, asker(in))

	// Views come first: members are measured by them, and shades follow from the members.
	d.base.findViews()
	d.findOverviewMembers()
	d.findOrigins()
	d.base.findShades()
	return d
}

// asker returns the priority at which the colours change: the highest of the arriving pods, because only pods
// below that can be pushed out for them. Without arriving pods it is a priority in the middle.
func asker(in *Overview) int32 {
	top := int32(math.MinInt32)
	for _, a := range in.Come {
		top = max(top, a.Pod.PriorityValue())
	}
	if top == math.MinInt32 {
		return middle(in.Snapshot)
	}
	return top
}

// scarcestFor returns the resource that most arriving pods ask for. Among equals it is the one of which they
// take the largest part. It is empty if they ask for nothing.
func scarcestFor(in *Overview) (best resource.Name) {
	asked, pods := map[resource.Name]float64{}, map[resource.Name]int{}
	for _, a := range in.Come {
		for name := range a.Pod.Requests() {
			if amount := taken(a.Pod.Requests(), name); amount > 0 && name.Counted() {
				asked[name] += float64(amount)
				pods[name]++
			}
		}
	}

	most := 0.0
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		offered := 0.0
		for n := range in.Snapshot.Nodes() {
			offered += float64(n.Allocatable.Amount(name))
		}

		part := fullness(asked[name], offered)
		if pods[name] > pods[best] || pods[name] == pods[best] && part > most {
			best, most = name, part
		}
	}
	return best
}

// middle returns a priority in the middle of the first thousand different priorities of pods on nodes. It is 0
// without such pods.
func middle(snap *engine.Snapshot) int32 {
	var all []int32
	for p := range snap.Pods() {
		if snap.NodeOf(p.Key()) != "" && !slices.Contains(all, p.PriorityValue()) {
			// A thousand priorities suffice to find a middle, and each look-up costs time.
			if all = append(all, p.PriorityValue()); len(all) == 1000 {
				break
			}
		}
	}

	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[(len(all)+1)/2%len(all)]
}
