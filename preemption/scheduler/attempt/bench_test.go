package attempt_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/gen"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/engine"
	"github.com/outrank-go/outrank/preemption/scheduler/attempt"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
	"github.com/outrank-go/outrank/preemption/scheduler/queue"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
	"github.com/outrank-go/outrank/resource"
)

// quiet are the actions of a cluster that does what it is told; what happens is delivered by the
// benchmark.
var quiet = execution.Actions{
	Evict: func(context.Context, execution.Eviction) error { return nil },
	Bind:  func(context.Context, *outrank.Pod, string) error { return nil },
}

// stream is the load of a simulator on a full cluster, which stays as full as it was: a pod
// comes, its victims leave, it is bound, and after a hundred more pods it ends and its victims
// come back.
type stream struct {
	loop      *attempt.Loop
	shapes    []*outrank.Pod
	past      [100]past
	count, at int
	// attempts is how many attempts there were, decided and tried how long the decisions and the
	// attempts took, of which the decisions are a part.
	attempts       int
	decided, tried time.Duration
}

type past struct {
	pod     *outrank.Pod
	victims []*outrank.Pod
}

func check(b testing.TB, err error) {
	if err != nil {
		b.Fatal(err)
	}
}

// newStream makes a stream on so many nodes, with pods nominated besides that wait for room. The
// pods that come are of so many sizes.
func newStream(b testing.TB, nodes, nominations, sizes int) *stream {
	c, like := gen.Benchmark(nodes, 30, 20)
	s := &stream{}
	for i := range sizes {
		p := *like
		p.Containers = []outrank.Container{{Requests: resource.List{
			resource.CPU:    resource.NewMilli(int64(2000 + 2000*i/sizes)),
			resource.Memory: resource.New(int64(2+i%4) << 30),
		}}}
		s.shapes = append(s.shapes, &p)
	}
	snap, q, scorer := must(engine.NewSnapshot(c)), must(queue.New(queue.Config{})), &score.Scorer{}
	loop, err := attempt.New(attempt.Config{
		Snapshot: snap, Queue: q, Execution: execution.Config{Actions: quiet, Parallel: 1},
		Decide: func(ctx context.Context, pod *outrank.Pod, now time.Time) ([]*outrank.Node, *preemption.Plan, error) {
			begun := time.Now()
			defer func() { s.decided += time.Since(begun) }()
			return s.loop.Decide(ctx, pod, now)
		},
		Place: func(ctx context.Context, pod *outrank.Pod, nodes []*outrank.Node) (*outrank.Node, error) {
			begun := time.Now()
			defer func() { s.decided += time.Since(begun) }()
			r, err := scorer.Score(ctx, snap, pod, nodes)
			if err != nil {
				return nil, err
			}
			return r.Choose(nil), nil
		},
	})
	check(b, err)
	s.loop = loop
	for i := range nominations {
		p := pod(fmt.Sprint("nominated-", i), 20_000, "1m")
		check(b, errOf(snap.PutPod(p)))
		check(b, loop.Nominator().Add(p, c.Nodes[i%nodes].Name))
	}
	for range 3 * len(s.past) {
		s.next(b)
	}
	s.attempts, s.decided, s.tried = 0, 0, 0
	return s
}

func (s *stream) observe(b testing.TB, old, new any) {
	_, err := s.loop.Observe(old, new, s.now())
	check(b, err)
}

func (s *stream) now() time.Time { return gen.Now.Add(time.Duration(s.at) * time.Second) }

// attempt makes an attempt, which is to end in this way.
func (s *stream) attempt(b testing.TB, want attempt.Outcome) *attempt.Result {
	s.at += 2
	begun := time.Now()
	r, err := s.loop.Next(context.Background(), s.now())
	s.tried += time.Since(begun)
	s.attempts++
	check(b, err)
	if r.Outcome != want {
		b.Fatalf("%v, and not %v: %v", r.Outcome, want, r.Err)
	}
	return r
}

// next is one step: two attempts.
func (s *stream) next(b testing.TB) {
	at := s.count % len(s.past)
	if old := s.past[at]; old.pod != nil {
		s.observe(b, old.pod, nil)
		for _, v := range old.victims {
			s.observe(b, nil, v)
		}
	}
	p := *s.shapes[s.count%len(s.shapes)]
	p.Name, p.UID, p.StartTime = fmt.Sprint("new-", at), fmt.Sprint("uid-", s.count), gen.Now
	s.observe(b, nil, &p)
	r := s.attempt(b, attempt.Preempting)
	s.past[at] = past{pod: on(&p, r.Node)}
	for _, v := range r.Report.Victims {
		s.observe(b, v.Pod, nil)
		s.past[at].victims = append(s.past[at].victims, v.Pod)
	}
	s.attempt(b, attempt.Bound)
	s.observe(b, &p, s.past[at].pod)
	s.count++
}

// BenchmarkAttempts is what an attempt costs beside its decision. The time of an operation is
// that of a step, with what informers deliver: two attempts.
func BenchmarkAttempts(b *testing.B) {
	for _, size := range []struct{ nodes, nominations int }{{200, 0}, {200, 80}, {5000, 0}, {5000, 2000}} {
		for _, sizes := range []int{1, 16, 1000} {
			b.Run(fmt.Sprintf("nodes=%d/pods=30/budgets=20/nominations=%d/sizes=%d", size.nodes, size.nominations, sizes), func(b *testing.B) {
				s := newStream(b, size.nodes, size.nominations, sizes)
				b.ReportAllocs()
				for b.Loop() {
					s.next(b)
				}
				b.ReportMetric(float64(s.tried.Nanoseconds())/float64(s.attempts), "ns/attempt")
				b.ReportMetric(float64(s.decided.Nanoseconds())/float64(s.attempts), "ns/decision")
				b.ReportMetric(float64(s.tried)/float64(s.decided), "attempts/decisions")
			})
		}
	}
}
