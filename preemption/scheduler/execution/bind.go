package execution

import (
	"context"
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/release"
)

// Bind binds a pod to a node. By the rules of v1.37 and later it tries again while [Actions].Bind
// fails with [ErrRetriable], like the patch of a status; before v1.37 it tries once (rule 14.1.13). The
// action should wrap ErrRetriable for an internal error of the server, a server that is unavailable and
// a refused connection, but not for a conflict: a pod that is bound stays so. A release that
// is not known counts as [outrank.DefaultRelease]. Without a context, a pod or the action the error
// wraps [outrank.ErrInvalid].
func (e *Executor) Bind(ctx context.Context, of outrank.Release, pod *outrank.Pod, node string) error {
	if e == nil {
		return errNoExecutor
	}
	if err := e.ready(ctx); err != nil {
		return err
	}
	switch {
	case pod == nil:
		return fmt.Errorf("binding: %w: no pod", outrank.ErrInvalid)
	case e.actions.Bind == nil:
		return fmt.Errorf("binding pod %s: %w: no action to bind", pod.Key(), outrank.ErrInvalid)
	}

	once := func() error { return e.actions.Bind(ctx, pod, node) }
	if !release.Of(release.Release(of)).BindingsRetried {
		return once()
	}
	return e.retry.do(ctx, once)
}
