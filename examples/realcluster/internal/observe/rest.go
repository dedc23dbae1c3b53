package observe

import (
	"context"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Stillness says when a cluster counts as at rest. Some pods that are about to change can be tolerated.
type Stillness struct {
	// For is how long nothing may have changed.
	For time.Duration
	// Leaving tolerates pods that are being deleted, and pods that wait for their room.
	Leaving bool
	// Unstarted tolerates pods that are on nodes and have not started.
	Unstarted bool
}

// Wait returns once the cluster has been at rest for the given time. If the context ends first, the error names
// pods that are about to change.
func (o *Pods) Wait(ctx context.Context, s Stillness) error {
	for {
		moving, since := o.moving(s)
		if len(moving) == 0 && since >= s.For {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the cluster has not come to rest: %w; %d pods on the move: %s", ctx.Err(), len(moving), strings.Join(moving[:min(5, len(moving))], "; "))
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (o *Pods) moving(s Stillness) ([]string, time.Duration) {
	var out []string
	for _, p := range o.All() {
		if why := s.moves(p); why != "" {
			out = append(out, p.Namespace+"/"+p.Name+" "+why)
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return out, time.Since(o.changed)
}

// moves returns the reason why a pod is about to change. It is empty if the pod is not.
func (s Stillness) moves(p *corev1.Pod) string {
	switch {
	case p.DeletionTimestamp != nil && !s.Leaving:
		return "is being deleted"
	case p.Spec.NodeName != "" && p.Status.StartTime == nil && !s.Unstarted:
		return "has not started"
	case p.Spec.NodeName == "" && Condition(p, corev1.PodScheduled) == nil:
		return "has not been tried"
	case p.Spec.NodeName == "" && p.Status.NominatedNodeName != "" && !s.Leaving:
		return "is nominated"
	}
	return ""
}

// Count returns once each app has the wanted number of pods. An app is named by its namespace and the label
// app. Pods that are being deleted do not count. Apps that are not in want may have any number.
func (o *Pods) Count(ctx context.Context, want map[string]int) error {
	for {
		wrong := o.miscounted(want)
		if wrong == "" {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the pods do not get as many as they should: %w; %s", ctx.Err(), wrong)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (o *Pods) miscounted(want map[string]int) string {
	have := map[string]int{}
	for _, p := range o.All() {
		if p.DeletionTimestamp == nil {
			have[p.Namespace+"/"+p.Labels["app"]]++
		}
	}
	for app, n := range want {
		if have[app] != n {
			return fmt.Sprintf("there are %d of %s, not %d", have[app], app, n)
		}
	}
	return ""
}
