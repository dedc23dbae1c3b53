package question

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/page"
	"github.com/outrank-go/outrank/preemption/engine"
)

// sketch is an overview that is being drawn.
type sketch struct {
	page.Overview
	// marked has the pods that are marked as leaving already.
	marked map[outrank.Key]bool
	// made has the new pods, which the snapshot lacks.
	made map[outrank.Key]*outrank.Pod
}

// sketchOf begins an overview of the cluster as it is.
func sketchOf(snap *engine.Snapshot, headline, summary string) *sketch {
	return &sketch{
		Overview: page.Overview{Snapshot: snap, Title: headline, Headline: headline, Summary: summary},
		marked:   map[outrank.Key]bool{},
	}
}

// leave marks a pod that leaves its node. The note of the first call for a pod counts.
func (s *sketch) leave(key outrank.Key, note string) {
	if !s.marked[key] {
		s.marked[key] = true
		s.Leave = append(s.Leave, page.Mark{Key: key, Note: note})
	}
}

// figure adds one of the large numbers at the top of the page.
func (s *sketch) figure(n int, of string) {
	s.Figures = append(s.Figures, page.Figure{Figure: strconv.Itoa(n), Of: of})
}

// table adds a table, unless it is empty.
func (s *sketch) table(t page.Table) {
	if len(t.Rows) > 0 || t.Text != "" {
		s.Tables = append(s.Tables, t)
	}
}

// do adds an item to the list of things to do, unless it is empty.
func (s *sketch) do(text string) {
	if text != "" {
		s.Todo = append(s.Todo, text)
	}
}

// turn draws the outcome of a turn: which pods leave, and which arrive where. like stands for the pod itself if
// the snapshot does not have it.
func (s *sketch) turn(t *Turn, like *outrank.Pod) {
	for i := range t.Victims {
		v := &t.Victims[i]
		note := "leaves for " + string(t.Pod.Key)
		if v.Terminating {
			note = "leaves already"
		}
		s.leave(v.Key, note)
	}

	// No pod arrives: a resized pod is on its node already, and a pod whose victims leave in vain is not taken.
	if t.Resize || t.InVain != nil {
		return
	}

	note := "arrives"
	if t.Outcome == PushesOut {
		note = "arrives once those have left who leave for it"
	}
	for _, m := range t.Members {
		s.arrive(m.Key, nil, m.Node, note)
	}
	if !t.Group && (t.Outcome == Placed || t.Outcome == PushesOut) {
		s.arrive(t.Pod.Key, like, t.Node, note)
	}
}

// arrive marks a pod that arrives on a node. The pod drawn is like under the given key, or else the new pod or
// the pod of the snapshot with that key. Without any of them nothing is drawn.
func (s *sketch) arrive(key outrank.Key, like *outrank.Pod, node, note string) {
	if node == "" {
		return
	}

	pod, ok := s.Snapshot.Pod(key)
	if made := s.made[key]; made != nil {
		pod, ok = made, true
	}
	switch {
	case like != nil:
		one := *like
		one.Namespace, one.Name = key.Split()
		pod = &one
	case !ok:
		return
	case s.Snapshot.NodeOf(key) != "":
		// The pod still runs elsewhere in the picture, and the recreated one arrives in its place.
		pod = remade(pod, pod.Name)
	}
	s.Come = append(s.Come, page.Arrival{Pod: pod, Node: node, Note: note})
}

// turns returns a table of turns, with at most as many rows as a page shows.
func turns(title, note string, all []Turn) page.Table {
	t := page.Table{Title: title, Note: note, Columns: []page.Column{{Title: "#", Number: true}, {Title: "Pod"}, {Title: "Priority", Number: true}, {Title: "Node"}, {Title: "Outcome"}}}
	shown := bounded(len(all), page.MostRows)
	said := saidOnce{}
	for i := range all[:shown] {
		one := &all[i]
		t.Rows = append(t.Rows, page.TableRow{Cells: []string{strconv.Itoa(i + 1), one.name(), one.priority(), one.Node, one.Text()}, Notes: said.notes(i+1, one, notesOnPage)})
	}
	t.More = len(all) - shown
	return t
}

// notesOnPage is the most names in a note of a page.
const notesOnPage = 10

// Overview draws the answer as a page about the snapshot in question.
func (p *Pending) Overview(snap *engine.Snapshot, _ *outrank.Pod) *page.Overview {
	n := &p.Totals
	headline, more, _ := strings.Cut(p.summary(), ". ")
	s := sketchOf(snap, strings.TrimSuffix(headline, "."), more)
	s.figure(n.Pods, "pending pods")
	s.figure(n.Victims, "pods that have to leave")
	s.figure(n.Violating, "of them against a budget")
	for i := range p.Turns {
		s.turn(&p.Turns[i], nil)
	}
	s.table(turns("What becomes of each", pendingOrder, p.Turns))
	p.todo(s)
	return &s.Overview
}

// Overview draws the answer as a page about the snapshot in question; pod is the original of the copies.
func (r *Replicas) Overview(snap *engine.Snapshot, pod *outrank.Pod) *page.Overview {
	s := sketchOf(snap, strconv.Itoa(r.Running)+" of "+console.Plural(r.Asked, "replica")+" of "+string(r.Pod.Key)+" "+verb(r.Running, "finds", "find")+" room", r.summary())
	s.figure(r.Free, "fit as things are")
	s.figure(r.Running-r.Free, "fit once others have left")
	s.figure(r.Victims, "pods that have to leave")
	s.figure(r.Violating, "of them against a budget")
	for i := range r.Turns {
		s.turn(&r.Turns[i], pod)
	}

	s.table(turns("Step by step", "Each sees what those before it did; those who leave are gone before the next is tried.", r.Turns))
	if missing := r.missing(); missing != nil {
		s.table(page.Table{Title: "What is missing for the next one", Text: strings.Join(missing, "\n")})
	}
	r.todo(s)
	return &s.Overview
}

// todo ends the page with what to do.
func (p *Pending) todo(s *sketch) {
	// Evictions to no effect are told up to the first pod with a victim that was not leaving already.
	n := &p.Totals
	inVain := 0
	for i := range p.Turns {
		t := &p.Turns[i]
		if t.InVain == nil {
			continue
		}
		first := inVain == 0
		inVain += fresh(t.Victims)
		if first {
			s.do("For " + string(t.Pod.Key) + " kube-scheduler evicts pods to no effect: even with them gone " + t.Node + " does not take it.")
		}
	}

	if n.Victims > inVain {
		s.do("Nothing to do if they may leave: kube-scheduler makes room by itself, and " + cost(n.Victims, n.Violating) + ".")
	}

	// One of the pods that stay pending stands for all of them.
	for i := range p.Turns {
		if t := &p.Turns[i]; t.Outcome == Waits && !t.Group {
			s.do("What would help a pod that stays pending is tried one by one: ask again with --pending " + string(t.Pod.Key) + ".")
			break
		}
	}

	if n.Gated > 0 {
		s.do(subject(n.Gated, "pod is gated, and waits", "pods are gated, and wait") + " for whoever takes the gates away.")
	}
	if len(s.Todo) == 0 && n.Pods > 0 {
		s.do("Nothing to do: kube-scheduler places them by itself.")
	}
}

// todo ends the page with what to do.
func (r *Replicas) todo(s *sketch) {
	if c := cost(r.Victims, r.Violating); c != "" {
		s.do(fmt.Sprintf("The first %d cost nobody anything; for more, %s.", r.Free, c))
	}
	if r.Stopped {
		s.do(fmt.Sprintf("Ask for %d at most, or make room for the next one.", r.Running))
		if r.Why != nil {
			ways := 0
			for i := range r.Why.Nodes {
				if help := r.Why.Nodes[i].Help(); help != "" && ways < mostWays {
					s.do("For the next one, " + help)
					ways++
				}
			}
		}
	}
	if len(s.Todo) == 0 {
		s.do("Nothing to do: all of them fit, and nobody has to leave.")
	}
}
