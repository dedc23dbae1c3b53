package explain

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/fit"
	"github.com/outrank-go/outrank/preemption/scheduler/score"
)

// Options say how much a report holds. The zero value is the default.
type Options struct {
	// Most is how many names a list holds before it is cut; 0 means 10. Victims are cut at
	// ten times that many, and groups of nodes put together.
	Most int
	// Classes are the priority classes of the cluster, for naming one that would be enough.
	// A snapshot does not keep them.
	Classes []*outrank.PriorityClass
	// Copies reports whether a pod is a copy of the preemptor, beside those of its controller:
	// a priority that the preemptor gets its copies get, too, but those that have less than it
	// now. Nil means none.
	Copies func(pod *outrank.Pod) bool
	// Depth is how many times Replacements follows a replacement that pushes out others to theirs;
	// 0 tells of the plan's own victims alone.
	Depth int
	// Scorer returns what decides between the nodes that take a replacement; nil, or one that returns
	// nil, means the default profile.
	Scorer func(pod *outrank.Pod) *score.Scorer
}

// mostNames bounds what [Options] can ask for.
const mostNames = 1 << 20

var (
	errNoEvaluator = fmt.Errorf("%w: no evaluator", outrank.ErrInvalid)
)

// newFinder prepares to find what stands behind answers to a request. What it finds once the context has ended
// is of no use.
func newFinder(ctx context.Context, q Question, options Options) (*finder, error) {
	e, pod := q.Evaluator, q.Request.Pod
	if e == nil {
		return nil, errNoEvaluator
	}
	lookAt, err := e.LookAt(q.Snapshot, q.Request)
	if err != nil {
		return nil, err
	}
	f := &finder{ctx: ctx, snap: q.Snapshot, pod: pod, tolerations: fit.NewTolerations(pod.Tolerations), config: e.Config(), lookAt: lookAt, classes: options.Classes, copies: options.Copies, most: options.Most}
	if f.most <= 0 {
		f.most = 10
	}
	f.most = min(f.most, mostNames)
	return f, nil
}
