package differential

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// GroupCase returns the row plain of the matrix as API objects, with a group of pods in place of the preemptor.
// The pods of the group are copies of the preemptor.
func GroupCase(pods, nodes, budgets int) (c *Case, members []*corev1.Pod, err error) {
	if c, err = matrixCase("plain", nodes, budgets); err != nil {
		return nil, nil, err
	}

	like, name := c.Preemptor, "train"
	group, err := groupOf(metav1.ObjectMeta{Name: name, Namespace: like.Namespace, UID: uid(name)}, map[string]any{
		"schedulingPolicy": map[string]any{"gang": map[string]any{"minCount": int64(pods)}}, "priority": int64(*like.Spec.Priority),
	})
	if err != nil {
		return nil, nil, err
	}
	c.Groups = []Object{group}
	for i := range pods {
		p := like.DeepCopy()
		p.Name = fmt.Sprint("member-", i)
		p.UID, p.Spec.SchedulingGroup = uid(p.Name), &corev1.PodSchedulingGroup{PodGroupName: &name}
		members = append(members, p)
	}
	c.Preemptor = members[0]
	return c, members, nil
}

// TryGroup lets a scheduler try the members of a group. It calls watch to wrap the framework of their profile,
// and ready right before the attempt.
func TryGroup(c *Case, members []*corev1.Pod, watch func(framework.Framework) framework.Framework, ready func()) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r := &reference{around: &c.Around, answer: &Answer{Nodes: map[string]Status{}, Unhelpful: map[string]Status{}}}
	client := &fake.Clientset{}
	client.AddReactor("*", "podgroups", func(clienttesting.Action) (bool, runtime.Object, error) { return true, c.Groups[0], nil })
	client.AddReactor("*", "*", r.react)

	in := newInformers(client)
	options, err := r.options(ctx, c, Instead{})
	if err != nil {
		return err
	}
	sched, err := scheduler.New(ctx, client, in, nil, func(string) events.EventRecorderLogger { return &recorder{r} }, options...)
	if err != nil {
		return err
	}

	// The framework must be wrapped before the pods come. When the clock starts, the scheduler knows all of them.
	name := c.Preemptor.Spec.SchedulerName
	sched.Profiles[name] = watch(sched.Profiles[name])
	if err := errors.Join(in.fill(c), addAll(in.groups, c.Groups), addAll(in.pods, c.Pods), addAll(in.pods, members)); err != nil {
		return err
	}
	ready()
	sched.ScheduleOne(ctx)
	return nil
}
