package convert

import (
	"math"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/outrank-go/outrank"
)

// The annotations that tell the source of a pod, and the value that stands for the API server.
const (
	sourceAnnotation = "kubernetes.io/config.source"
	mirrorAnnotation = "kubernetes.io/config.mirror"
	apiSource        = "api"
)

// Pod converts a pod, in time linear in its size. Of claims it has only the names; see the package comment.
// Value is left nil.
func Pod(p *corev1.Pod) (*outrank.Pod, error) {
	if p == nil {
		return nil, missing("pod")
	}
	ps := podProblems(p)
	out := ps.pod(p)
	if err := ps.with(out.Validate()); err != nil {
		return nil, err
	}
	return out, nil
}

func podProblems(p *corev1.Pod) problems {
	return problems{kind: "pod", namespace: orDefault(p.Namespace), name: p.Name}
}

// pod converts a pod, and records problems with fields that make no sense.
func (ps *problems) pod(p *corev1.Pod) *outrank.Pod {
	spec, status := &p.Spec, &p.Status

	// A pod whose source is not the API server is static.
	source, sourced := p.Annotations[sourceAnnotation]
	_, mirror := p.Annotations[mirrorAnnotation]
	out := &outrank.Pod{
		Name: p.Name, Namespace: p.Namespace, UID: string(p.UID),
		Labels:                    texts(p.Labels),
		Owner:                     owner(p.OwnerReferences),
		NodeName:                  spec.NodeName,
		NominatedNodeName:         status.NominatedNodeName,
		Priority:                  spec.Priority,
		PriorityClassName:         spec.PriorityClassName,
		PreemptionPolicy:          outrank.PreemptionPolicy(valueOf(spec.PreemptionPolicy)),
		Overhead:                  ps.amounts(spec.Overhead, "spec.overhead"),
		NodeSelector:              texts(spec.NodeSelector),
		Affinity:                  affinity(spec.Affinity),
		Preferences:               preferences(spec),
		Tolerations:               tolerations(spec.Tolerations),
		TopologySpreadConstraints: spreads(spec.TopologySpreadConstraints),
		SchedulerName:             spec.SchedulerName,
		SchedulingGates:           gates(spec.SchedulingGates),
		HostNetwork:               spec.HostNetwork,
		HostUsers:                 spec.HostUsers,
		Grace:                     grace(spec.TerminationGracePeriodSeconds),
		Volumes:                   podVolumes(p),
		QOSClass:                  outrank.QOSClass(status.QOSClass),
		Static:                    sourced && source != apiSource,
		Mirror:                    mirror,
		Phase:                     outrank.Phase(status.Phase),
		StartTime:                 timeAt(status.StartTime),
		DeletionTimestamp:         timeAt(p.DeletionTimestamp),
	}

	if spec.OS != nil {
		out.OS = string(spec.OS.Name)
	}
	if c := spec.SecurityContext; c != nil {
		policy := valueOf(c.SupplementalGroupsPolicy)
		out.StrictGroups = policy == corev1.SupplementalGroupsPolicyStrict
		word(ps, policy, "spec.securityContext.supplementalGroupsPolicy", corev1.SupplementalGroupsPolicyMerge, corev1.SupplementalGroupsPolicyStrict)
	}
	for i := range spec.ResourceClaims {
		out.ResourceClaims = append(out.ResourceClaims, spec.ResourceClaims[i].Name)
	}
	if g := spec.SchedulingGroup; g != nil {
		out.Group = valueOf(g.PodGroupName)
	}

	ps.podContainers(out, p)
	podConditions(out, status.Conditions)
	return out
}

// podConditions reads the three conditions that matter. If several conditions say that the pod is a target of
// disruption, or that it waits for a resize, only the first of them counts.
func podConditions(p *outrank.Pod, cs []corev1.PodCondition) {
	disruption, resize := false, false
	for i := range cs {
		c := &cs[i]
		switch c.Type {
		case corev1.PodReady:
			p.Ready = p.Ready || c.Status == corev1.ConditionTrue
		case corev1.PodResizePending:
			if !resize {
				p.ResizeInfeasible = c.Reason == corev1.PodReasonInfeasible
				p.ResizeDeferred = c.Reason == corev1.PodReasonDeferred
			}
			resize = true
		case corev1.DisruptionTarget:
			if !disruption && c.Status == corev1.ConditionTrue {
				p.DisruptionReason = c.Reason
			}
			disruption = true
		}
	}
}

// timeAt converts a time. A missing one becomes the zero time.
func timeAt(t *metav1.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}

// owner returns the owner that is the controller, if there is one.
func owner(refs []metav1.OwnerReference) outrank.Owner {
	for i := range refs {
		if valueOf(refs[i].Controller) {
			return outrank.Owner{Kind: refs[i].Kind, Name: refs[i].Name}
		}
	}
	return outrank.Owner{}
}

func tolerations(ts []corev1.Toleration) []outrank.Toleration {
	if len(ts) == 0 {
		return nil
	}
	out := make([]outrank.Toleration, len(ts))
	for i := range ts {
		t := &ts[i]
		out[i] = outrank.Toleration{Key: t.Key, Operator: outrank.TolerationOperator(t.Operator), Value: t.Value, Effect: outrank.TaintEffect(t.Effect)}
	}
	return out
}

func gates(gs []corev1.PodSchedulingGate) []string {
	if len(gs) == 0 {
		return nil
	}
	out := make([]string, len(gs))
	for i := range gs {
		out[i] = gs[i].Name
	}
	return out
}

// mostGrace is the longest grace period, in seconds. A longer one is cut to it.
const mostGrace = int64(math.MaxInt64 / time.Second)

func grace(seconds *int64) *time.Duration {
	if seconds == nil {
		return nil
	}
	d := time.Duration(max(-mostGrace, min(*seconds, mostGrace))) * time.Second
	return &d
}

// texts returns a map of strings. It is nil if the map is empty.
func texts(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	return m
}

// list returns a list of strings. It is nil if the list is empty. Appending to it never writes to the original.
func list(ss []string) []string {
	if len(ss) == 0 {
		return nil
	}
	return ss[:len(ss):len(ss)]
}

// valueOf returns the target of a pointer, or the zero value if the pointer is nil.
func valueOf[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
