package schedules_test

import (
	"context"
	"encoding/json"
	"errors"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/internal/tests/schedules"
)

// api is the part of a clientset that actions call. Each request becomes a call to the plain server. What is not
// asked for here is nil, so that a request of another kind would panic.
type api struct {
	kubernetes.Interface
	port *schedules.Port
}

type core struct {
	corev1client.CoreV1Interface
	port *schedules.Port
}

type pods struct {
	corev1client.PodInterface
	port *schedules.Port
}

func (a api) CoreV1() corev1client.CoreV1Interface     { return core{port: a.port} }
func (c core) Pods(_ string) corev1client.PodInterface { return pods{port: c.port} }

// forKey is the key of the preemptor's UID in the context of an eviction, which the requests do not name.
type forKey struct{}

// Get is answered by the server itself, at once.
func (p pods) Get(_ context.Context, name string, _ metav1.GetOptions) (*corev1.Pod, error) {
	if pod := p.port.Present(name); pod != nil {
		return objectOf(pod), nil
	}
	return nil, apierrors.NewNotFound(resource, name)
}

// Delete asks for the end of a pod.
func (p pods) Delete(ctx context.Context, name string, o metav1.DeleteOptions) error {
	preemptor, _ := ctx.Value(forKey{}).(string)
	return p.do(ctx, schedules.Call{Op: schedules.Evict, Pod: name, UID: string(*o.Preconditions.UID), For: preemptor})
}

// Bind binds a pod.
func (p pods) Bind(ctx context.Context, b *corev1.Binding, _ metav1.CreateOptions) error {
	return p.do(ctx, schedules.Call{Op: schedules.Bind, Pod: b.Name, UID: string(b.UID), Node: b.Target.Name})
}

// Patch changes conditions and the nomination.
func (p pods) Patch(ctx context.Context, name string, _ types.PatchType, data []byte, _ metav1.PatchOptions, _ ...string) (*corev1.Pod, error) {
	var patch struct {
		Metadata struct{ UID string }
		Status   struct {
			Conditions        []corev1.PodCondition
			NominatedNodeName json.RawMessage
		}
	}
	if err := json.Unmarshal(data, &patch); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	c := schedules.Call{Op: schedules.Nominate, Pod: name, UID: patch.Metadata.UID}
	if raw := patch.Status.NominatedNodeName; raw != nil {
		c.Override = true
		if err := json.Unmarshal(raw, &c.Node); err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
	}
	for _, condition := range patch.Status.Conditions {
		c.Op, c.Why = schedules.Status, condition.Message
		if condition.Type == corev1.PodConditionType(outrank.DisruptionTarget) {
			c.Op = schedules.Mark
		}
	}
	return nil, p.do(ctx, c)
}

// resource is what errors are about.
var resource = schema.GroupResource{Resource: "pods"}

// do makes a call, and puts its error in the words of an API server.
func (p pods) do(ctx context.Context, c schedules.Call) error {
	err := p.port.Do(ctx, c)
	switch {
	case errors.Is(err, schedules.ErrGone) && p.port.Present(c.Pod) != nil:
		return apierrors.NewConflict(resource, c.Pod, errors.New("the UID in the precondition is another"))
	case errors.Is(err, schedules.ErrGone):
		return apierrors.NewNotFound(resource, c.Pod)
	case errors.Is(err, schedules.ErrBusy):
		return apierrors.NewServiceUnavailable("later")
	case errors.Is(err, schedules.ErrConflict):
		return apierrors.NewConflict(resource, c.Pod, err)
	case errors.Is(err, schedules.ErrFailed):
		return apierrors.NewForbidden(resource, c.Pod, err)
	}
	return err
}
