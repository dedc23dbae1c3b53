package page

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/screen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// Overview is an answer about a whole cluster: who leaves, who arrives, which nodes go, and
// tables with the rest. WriteOverview reads it alone.
type Overview struct {
	// Title is the title of the document, Source names the cluster as in an Input.
	Title, Source string
	// Headline is the answer in a few words, and Summary in a sentence or two.
	Headline, Summary string
	// Figures are numbers that stand out, beside those of nodes and pods.
	Figures []Figure
	// Snapshot is the cluster as it is.
	Snapshot *preemption.Snapshot
	// Resource is what the nodes are shown by at first, as in an Input.
	Resource resource.Name
	// Leave are pods that leave the nodes where they run, and Come pods that arrive. May is set
	// where nobody really leaves: these are pods that could be pushed out.
	Leave []Mark
	Come  []Arrival
	May   bool
	// Gone are nodes that go away, with all that is on them.
	Gone []string
	// Tables say the rest.
	Tables []Table
	// Caveats say why the answer may not be what happens.
	Caveats []string
	// Now is the time of the answer; the zero time leaves it out.
	Now time.Time
}

// Figure is a number with what it counts.
type Figure struct{ Figure, Of string }

// Mark is a pod of the snapshot; Note says why it is marked.
type Mark struct {
	Key  outrank.Key
	Note string
}

// Arrival is a pod that comes to a node.
type Arrival struct {
	Pod        *outrank.Pod
	Node, Note string
}

// Table is a table with a heading.
type Table struct {
	Title, Note string
	Columns     []Column
	Rows        []TableRow
	// More is how many rows are left out.
	More int
}

// Column is one of a table; Number is set for one of numbers.
type Column struct {
	Title  string
	Number bool
}

// Head is the column that names the rows: the first that is not one of numbers.
func (t Table) Head() int {
	return max(0, slices.IndexFunc(t.Columns, func(c Column) bool { return !c.Number }))
}

// TableRow is one of a table, with texts below its last cell.
type TableRow struct {
	Cells, Notes []string
}

// MostRows is how many rows a table should have.
const MostRows = 500

// ErrNoSnapshot is returned for an overview without a snapshot.
var ErrNoSnapshot = errors.New("an overview needs a snapshot")

// WriteOverview writes a page about a whole cluster, with the properties that the page of
// [Write] has. Nothing is written if it fails otherwise than in writing. The error is
// [ErrNoSnapshot] or the writer's.
//
// Time and the size of the page are linear in the nodes, in the pods of those that are drawn
// pod by pod, and in the tables, which the caller bounds by [MostRows]. It only reads the
// input.
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

// overviewDocument is what the template of an overview writes. Fields that it does not fill
// in are those of other pages.
type overviewDocument struct {
	document
	Headline string
	Figures  []Figure
	Tables   []Table
	// Arrive is set where somebody comes, May where nobody really leaves.
	Arrive, May bool
	MoreRows    int
}

func newOverviewDocument(in *Overview) *overviewDocument {
	d := newOverviewMaker(in)
	doc := &overviewDocument{Headline: in.Headline, Figures: in.Figures, Tables: in.Tables, Arrive: len(in.Come) > 0, May: in.May}
	doc.document = document{
		Title: screen.Safe(in.Title), Source: in.Source, Release: in.Snapshot.Release().String(), Outcome: "overview",
		Summary: in.Summary, Caveats: in.Caveats, Views: d.views, Style: style, Script: script, Policy: policy,
	}
	if !in.Now.IsZero() {
		doc.Now = in.Now.UTC().Format("2006-01-02 15:04:05") + " UTC"
	}
	doc.Rows, doc.MoreRows = d.overviewRows()
	doc.Panels = d.overviewPanels()
	doc.Below, doc.Above = d.scale, nil
	doc.Sorted = string(d.views[d.shown()].Name)
	for i := range levels {
		doc.Levels = append(doc.Levels, levels[i].text)
	}
	doc.Levels = append(doc.Levels, "over 100 %")
	doc.legend()
	return doc
}

// overviewMaker holds what the pictures of an overview are made from.
type overviewMaker struct {
	*maker
	over    *Overview
	leaving map[outrank.Key]string // with the note
	coming  map[string][]Arrival   // by node
	gone    map[string]bool
}

// newOverviewMaker sees to it that what is drawn is what those who come ask for.
func newOverviewMaker(in *Overview) *overviewMaker {
	wanted, top := &outrank.Pod{Name: "all", Containers: []outrank.Container{{}}}, int32(math.MinInt32)
	requests := resource.List{}
	d := &overviewMaker{over: in, leaving: map[outrank.Key]string{}, coming: map[string][]Arrival{}, gone: map[string]bool{}}
	for _, a := range in.Come {
		d.coming[a.Node] = append(d.coming[a.Node], a)
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
	d.maker = &maker{
		in:  &Input{Snapshot: in.Snapshot, Explanation: &preemption.Explanation{}, Report: &explain.Report{}, Resource: in.Resource},
		pod: wanted, byName: map[string]*member{},
	}
	if top == math.MinInt32 {
		top = middle(in.Snapshot)
	}
	d.scale = newScale(in.Snapshot, top)
	d.findViews()
	d.findOverviewMembers()
	return d
}

// middle is the middle one of the priorities on nodes.
func middle(snap *preemption.Snapshot) int32 {
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
