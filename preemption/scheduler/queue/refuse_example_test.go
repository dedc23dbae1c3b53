package queue_test

import (
	"fmt"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
)

// full is the class of all pods that ask for a core, while none has one left.
type full struct{ attempts int }

func (*full) Known() ([]string, bool)                 { return []string{"NodeResourcesFit"}, true }
func (f *full) Refuses(*outrank.Pod) ([]string, bool) { return f.Known() }
func (f *full) Refused(attempts int)                  { f.attempts += attempts }

// A pod leaves, and every pod that waits is to be tried again. The caller knows
// that no node has room for a kind of which there are two.
func ExampleQueue_Refuse() {
	q, err := queue.New(queue.Config{})
	if err != nil {
		panic(err)
	}
	cores := &full{}
	how := queue.Refusing{MostFresh: 100, Class: func(pod *outrank.Pod) queue.Class {
		if pod.Labels["asks"] == "core" {
			return cores
		}
		return nil
	}}
	core := map[string]string{"asks": "core"}
	for _, pod := range []*outrank.Pod{{Name: "a", Labels: core}, {Name: "b", Labels: core}, {Name: "c"}} {
		if err := q.Add(pod, midnight); err != nil {
			panic(err)
		}
	}
	fmt.Println(q.Refuse(midnight, how))
	entry, _ := q.TryPop(midnight)
	fmt.Println("to be tried:", entry.Pod.Name, "as attempt", entry.Cycle)
	for _, e := range q.Pending().Unschedulable {
		fmt.Println(e.Pod.Name, e.Attempts, e.FailedFilters, e.BackoffEnd.Sub(midnight))
	}
	fmt.Println(cores.attempts, "attempts refused")
	// Output:
	// 2 2 2
	// to be tried: c as attempt 3
	// a 1 [NodeResourcesFit] 1s
	// b 1 [NodeResourcesFit] 1s
	// 2 attempts refused
}

// A plain queue pops the pods that do not fit over and over; nothing is tried
// twice in one call.
func ExampleNewFIFO_refuse() {
	q := queue.NewFIFO()
	for _, name := range []string{"a", "b"} {
		if err := q.Add(&outrank.Pod{Name: name}, midnight); err != nil {
			panic(err)
		}
	}
	cores := &full{}
	how := queue.Refusing{Class: func(*outrank.Pod) queue.Class { return cores }, Most: 3, MostFresh: 100}
	fmt.Println(q.Refuse(midnight.Add(time.Second), how))
	entry, _ := q.TryPop(midnight)
	fmt.Println(entry.Pod.Name, entry.Attempts)
	// Output:
	// 2 2 2
	// a 2
}
