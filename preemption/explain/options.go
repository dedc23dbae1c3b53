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
	// Most is the length at which a list of names is cut; 0 means 10. Lists of victims may be ten times as long.
	// If there are more than ten times as many groups of nodes, groups are merged.
	Most int
	// Classes lists the priority classes of the cluster, so that a report can name one that would be enough. A
	// snapshot does not keep them.
	Classes []*outrank.PriorityClass
	// Copies reports whether a pod is a copy of the preemptor. The pods of its controller are copies anyway; nil
	// means that there are no others. When another priority is tried for the preemptor, its copies get it, too,
	// unless their priority is lower than the preemptor's now.
	Copies func(pod *outrank.Pod) bool
	// Depth says how far Replacements follows the pods that replacements preempt. With 0 it only tells what
	// becomes of the plan's own victims, with 1 also what becomes of the victims of their replacements.
	Depth int
	// Scorer returns the scorer that chooses among the nodes that take a replacement. If it is nil, or returns
	// nil, the default profile chooses.
	Scorer func(pod *outrank.Pod) *score.Scorer
}

// mostNames is the largest Most that [Options] can ask for.
const mostNames = 1 << 20

var (
	errNoEvaluator = fmt.Errorf("%w: no evaluator", outrank.ErrInvalid)
)

// newFinder returns a finder for a request. If its context ends, it may find too little, so its callers check the
// context at the end.
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

// names returns the length at which a list of names is cut.
func (o *Options) names() int {
	if o.Most <= 0 {
		return 10
	}
	return min(o.Most, mostNames)
}
