package actions

import (
	"context"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/convert"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/scheduler/execution"
)

// Scheduler is the part of a scheduler that a [Client] needs if it runs in one. Its methods may be called
// concurrently. A plugin implements it with its handle, as package plugin of ../kubescheduler does.
type Scheduler interface {
	// Reject refuses a victim that has a node only in the scheduler's memory: one that waits to be bound, or
	// whose binding has not begun to be written. It reports false for any other.
	Reject(victim types.UID) bool
	// Activate makes the scheduler try the pod again at once.
	Activate(pod *v1.Pod)
	// Nominate passes the pod's nomination to the scheduler's queue of API calls. An empty node clears it. It
	// reports false if the scheduler has no such queue; then the client writes the nomination.
	Nominate(pod *v1.Pod, node string) (queued bool, err error)
}

// Config says how a [Client] reaches the cluster.
type Config struct {
	// API receives patches and deletions.
	API kubernetes.Interface
	// Pods lists the pods that an informer has seen.
	Pods corelisters.PodLister
	// Events posts events. If it is nil none are posted.
	Events events.EventRecorder
	// Scheduler is the scheduler that carries out the plans. It may be nil; then no victim is rejected in
	// memory, and no pod is activated.
	Scheduler Scheduler
	// WriteNominations makes the client write nominations by a patch. Otherwise the scheduler has to write
	// them, after a PostFilter plugin has returned its result.
	WriteNominations bool
}

// Client carries out the steps of a plan. Any number of goroutines may use it at once.
type Client struct{ Config }

// Actions returns the client's methods as the actions of an executor. A scheduler needs no others, except for
// the conditions of groups.
func (c *Client) Actions() execution.Actions {
	return execution.Actions{
		Latest: c.Latest, Reject: c.Reject, Evict: c.Evict, Nominate: c.Nominate, ClearNomination: c.ClearNomination,
		Activate: c.Activate, Event: c.Event, UpdateStatus: c.UpdateStatus, Bind: c.Bind,
	}
}

// New checks the configuration and returns a client.
func New(config Config) (*Client, error) {
	var missing []string
	if config.API == nil {
		missing = append(missing, "API")
	}
	if config.Pods == nil {
		missing = append(missing, "Pods")
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("actions: without %v", missing)
	}
	return &Client{Config: config}, nil
}

// Latest returns the informer's version of the pod of this name.
func (c *Client) Latest(_ context.Context, pod *outrank.Pod) (*outrank.Pod, error) {
	latest, err := c.Pods.Pods(pod.NamespaceName()).Get(pod.Name)
	if err != nil {
		return nil, c.said(pod, "reading", err)
	}
	return convert.Pod(latest)
}

// current returns the informer's version of the pod with this UID. The error wraps [preemption.ErrNotFound] if
// the pod is gone, even if another pod has its name.
func (c *Client) current(pod *outrank.Pod) (*v1.Pod, error) {
	latest, err := c.Pods.Pods(pod.NamespaceName()).Get(pod.Name)
	if err != nil {
		return nil, c.said(pod, "reading", err)
	}
	if pod.UID != "" && string(latest.UID) != pod.UID {
		return nil, fmt.Errorf("pod %s: another pod has its name: %w", pod.Key(), preemption.ErrNotFound)
	}
	return latest, nil
}

// said translates an error of the API. The result wraps [preemption.ErrNotFound] if the pod does not exist, and
// is nil if err is.
func (c *Client) said(pod *outrank.Pod, what string, err error) error {
	switch {
	case err == nil:
		return nil
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%s pod %s: %w: %w", what, pod.Key(), preemption.ErrNotFound, err)
	}
	return fmt.Errorf("%s pod %s: %w", what, pod.Key(), err)
}

// Reject refuses a victim that waits to be bound, or whose binding has not begun to be written. It reports false
// for any other victim, which must be evicted.
func (c *Client) Reject(_ context.Context, victim *outrank.Pod) (bool, error) {
	return c.Scheduler != nil && c.Scheduler.Reject(types.UID(victim.UID)), nil
}

// Activate makes the scheduler try the pod again at once.
func (c *Client) Activate(pod *outrank.Pod) {
	if c.Scheduler == nil {
		return
	}
	latest, err := c.current(pod)
	if err != nil {
		if !errors.Is(err, preemption.ErrNotFound) {
			klog.ErrorS(err, "A preemptor is not tried again at once")
		}
		return
	}
	c.Scheduler.Activate(latest)
}
