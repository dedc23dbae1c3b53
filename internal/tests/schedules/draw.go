package schedules

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Draw returns the schedule of a number, always the same.
func Draw(seed, number uint64) *Schedule {
	d := &drawer{rand.New(rand.NewPCG(seed, number)), 0}
	s := &Schedule{Background: d.IntN(3) > 0, Parallel: d.of(1, 1, 2), Standby: d.IntN(3) == 0}
	for i := range d.of(2, 2, 3) {
		s.Nodes = append(s.Nodes, Node{fmt.Sprint("n", i+1), int64(d.of(2, 3, 4))})
	}

	// Most nodes are full in the beginning, so that whoever comes has to preempt.
	for _, n := range s.Nodes {
		for room := n.CPU; room > 0 && len(s.Pods) < 4; {
			p := d.pod(fmt.Sprint("p", len(s.Pods)+1), d.of(0, 0, 1))
			p.CPU, p.Node = min(p.CPU, room), n.Name
			room -= p.CPU
			s.Pods = append(s.Pods, p)
		}
	}
	for range 4 + d.IntN(17) {
		s.Events = append(s.Events, d.event(s))
	}
	return s
}

// drawer draws, and counts the pods that it has drawn.
type drawer struct {
	*rand.Rand
	pods int
}

// of draws one of some numbers.
func (d *drawer) of(numbers ...int) int { return numbers[d.IntN(len(numbers))] }

// pod draws a pod with a name.
func (d *drawer) pod(name string, priority int) Pod {
	d.pods++
	p := Pod{
		Name: name, UID: fmt.Sprint(d.pods), Priority: int32(priority), CPU: int64(d.of(1, 1, 2, 3)),
		Profile: Usual, Grace: time.Duration(d.of(1, 5, 30)) * time.Second,
	}
	if d.IntN(6) == 0 {
		p.Profile = Meek
	}
	return p
}

// event draws an event. Names are those of six pods, so that a later pod takes the name of an earlier one.
func (d *drawer) event(s *Schedule) Event {
	e := Event{After: time.Duration(d.of(0, 0, 10, 300, 1000, 3000, 12000, 40000)) * time.Millisecond}
	name := fmt.Sprint("p", 1+d.IntN(6))
	switch n := d.IntN(27) - 3; {
	case n < 0: // so that names become free
		e.What, e.Pod.Name = PodDeleted, name
	case n < 8:
		e.What, e.Pod = PodComes, d.pod(name, d.of(1, 2, 2, 3))
	case n < 15:
		e.What, e.Pod.Name = Fault, name
		e.Op = operations[d.IntN(len(operations))] + " " + ways[d.IntN(len(ways))]
		e.Delay = time.Duration(d.of(50, 700, 2500, 14000)) * time.Millisecond
	case n < 17:
		e.What, e.Node = NodeComes, Node{fmt.Sprint("n", 1+d.IntN(3)), int64(d.of(2, 3, 4))}
	case n < 18 && len(s.Nodes) > 2:
		e.What, e.Node.Name = NodeGoes, "n3"
	case n < 20:
		e.What, e.Delay = []string{PodsLag, NodesLag}[d.IntN(2)], time.Duration(d.of(0, 20, 500, 4000))*time.Millisecond
	case n < 21:
		e.What, e.Pod.Name = Again, name
	case n < 22:
		e.What = WatchBreaks
	case n < 23 || !s.Standby:
		e.What = Restart
	default:
		e.What, e.Delay = Lead, time.Duration(d.of(0, 100, 2000))*time.Millisecond
	}
	return e
}
