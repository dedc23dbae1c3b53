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
// page of [Write]. Nothing is written if it fails otherwise than in writing. The
// error is [ErrNoSnapshot] or the writer's.
//
// Time and the size of the page are linear in the nodes, in the pods of those
// that are drawn pod by pod, and in the tables, which the caller bounds by
// [MostRows]. It only reads the input.
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

// overviewDocument is the data of the template of an overview.
type overviewDocument struct {
	Frame    frame
	Cluster  pictures
	Headline string
	Figures  []Figure
	Tables   []Table
	// Arrive is set where a pod comes, May where none really leaves.
	Arrive, May bool
	MoreRows    int
	// Large is set where the nodes are cells.
	Large bool
}

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

// newOverviewMaker makes the requests of the arrivals the drawn resources.
func newOverviewMaker(in *Overview) *overviewMaker {
	wanted, top := &outrank.Pod{Name: "all", Containers: []outrank.Container{{}}}, int32(math.MinInt32)
	requests := resource.List{}
	d := &overviewMaker{over: in, leaving: map[outrank.Key]string{}, moves: map[outrank.Key]bool{}, coming: map[string][]Arrival{}, gone: map[string]bool{}}
	for _, a := range in.Come {
		d.coming[a.Node] = append(d.coming[a.Node], a)
		d.moves[a.Pod.Key()] = true
		top = max(top, a.Pod.PriorityValue())
		for name, q := range a.Pod.Requests() {
			if q.Sign() > 0 {
				requests[name] = q
			}
		}
	}
	wanted.Containers[0].Requests = requests
	for _, m := range in.Leave {
		d.leaving[m.Key] = m.Note
	}
	for _, name := range in.Gone {
		d.gone[name] = true
	}
	d.base = &maker{
		in:  &Input{Snapshot: in.Snapshot, Explanation: &preemption.Plan{}, Report: &explain.Report{}, Resource: in.Resource},
		pod: wanted, byName: map[string]*member{},
	}
	if top == math.MinInt32 {
		top = middle(in.Snapshot)
	}
	d.base.scale = newScale(in.Snapshot, top)
	if in.Resource == "" {
		d.base.in.Resource = scarcestFor(in)
	}
	d.base.findViews()
	d.findOverviewMembers()
	d.findOrigins()
	d.base.findShades()
	return d
}

// scarcestFor is the resource that most arrivals ask for, and of those that as many ask for the
// one of which they take the largest part; empty where they ask for nothing.
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

// middle is the median of the priorities on nodes.
func middle(snap *engine.Snapshot) int32 {
	var all []int32
	for p := range snap.Pods() {
		if snap.NodeOf(p.Key()) != "" && !slices.Contains(all, p.PriorityValue()) {
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
