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
	// Most is the number of names that a list holds before it is cut; 0 means 10. Lists of victims hold ten
	// times as many. If there are more than ten times as many groups of nodes, groups are merged.
	Most int
	// Classes are the priority classes of the cluster, so that a report can name one that would be enough. A
	// snapshot does not keep them.
	Classes []*outrank.PriorityClass
	// Copies reports whether a pod is a copy of the preemptor, besides the pods of its controller; nil means
	// no others. Copies get the priority that the preemptor gets, except those that have less than it now.
	Copies func(pod *outrank.Pod) bool
	// Depth is how far Replacements follows the pods that a replacement pushes out: with 0 it tells what
	// becomes of the plan's own victims alone, with 1 also of the pods that their replacements push out.
	Depth int
	// Scorer returns the scorer that chooses between the nodes that take a replacement. Without it, and where
	// it returns nil, the default profile chooses.
	Scorer func(pod *outrank.Pod) *score.Scorer
}

// mostNames is the largest Most that [Options] can ask for.
const mostNames = 1 << 20

var (
	errNoEvaluator = fmt.Errorf("%w: no evaluator", outrank.ErrInvalid)
)

// newFinder prepares to find what stands behind answers to a request. A finder whose context has ended may find
// too little, so that its callers look at the context in the end.
func newFinder(ctx context.Context, q Question, options Options) (*finder, error) {
	e, pod := q.Evaluator, q.Request.Pod
	if e == nil {
		return nil, errNoEvaluator
	}
	lookAt, err := e.LookAt(q.Snapshot, q.Request)
	if err != nil {
		return nil, err
	}

	return &finder{
		ctx: ctx, snap: q.Snapshot, pod: pod, tolerations: fit.NewTolerations(pod.Tolerations), config: e.Config(), lookAt: lookAt,
		classes: options.Classes, copies: options.Copies, most: options.names(),
	}, nil
}

// names is the number of names that a list holds.
func (o *Options) names() int {
	if o.Most <= 0 {
		return 10
	}
	return min(o.Most, mostNames)
}
