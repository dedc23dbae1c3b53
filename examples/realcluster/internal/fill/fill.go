package fill

import (
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// Filler fills a cluster.
type Filler struct {
	Client kubernetes.Interface
	// Settled returns once each app, named namespace/app, has the wanted number of pods and none of them has
	// changed for a while.
	Settled func(ctx context.Context, want map[string]int) error
	// Pods returns the present versions of all pods.
	Pods func() []*corev1.Pod
	// Say prints a line of progress.
	Say func(format string, args ...any)
}

// Fill creates everything. In the end as many pods of the fillers remain as fit, plus one that waits.
func (f *Filler) Fill(ctx context.Context) error {
	stages, all := plan()
	for _, stage := range stages {
		f.Say("creating %s: %d objects", stage.name, len(stage.objects))
		for _, o := range stage.objects {
			if err := Create(ctx, f.Client, o); err != nil {
				return fmt.Errorf("%s: %w", stage.name, err)
			}
		}
		if err := f.Settled(ctx, stage.want); err != nil {
			return fmt.Errorf("%s: %w", stage.name, err)
		}
	}

	if err := f.trim(ctx, all); err != nil {
		return err
	}
	if err := f.cordon(ctx); err != nil {
		return err
	}
	if err := f.Settled(ctx, all); err != nil {
		return err
	}
	f.Say("the cluster is full: %s", summary(f.Pods(), len(Nodes())))
	return nil
}

// stage is a set of objects that are created together, with the number of pods that each app has afterwards.
type stage struct {
	name    string
	objects []runtime.Object
	want    map[string]int
}

// plan returns the stages of filling, and the number of pods of each app after all stages. The fillers come
// last, so that all other pods find a place.
func plan() (stages []stage, all map[string]int) {
	var nodes, first, last []runtime.Object
	for _, n := range Nodes() {
		nodes = append(nodes, n)
	}

	first = append(first, Daemons()...)
	want := map[string]int{}
	for _, w := range Workloads() {
		first = append(first, w.Objects()...)
		want[w.app()] = int(w.Replicas)
	}
	all = maps.Clone(want)
	for _, w := range Fillers() {
		last = append(last, w.Objects()...)
		all[w.app()] = int(w.Replicas)
	}

	return []stage{
		{"classes, namespaces and volumes", Base(), nil}, {"nodes", nodes, nil},
		{"what takes its place first", first, want}, {"what takes the rest", last, all},
	}, all
}

// trim removes the replicas that have no place, except for one replica of the first filler with such replicas.
// It writes the new numbers into all.
func (f *Filler) trim(ctx context.Context, all map[string]int) error {
	spare := 1
	for _, w := range Fillers() {
		placed := placed(f.Pods(), w.Namespace, w.Name)
		want := min(placed+spare, int(w.Replicas))
		spare -= want - placed
		all[w.app()] = want
		patch := fmt.Sprintf(`{"spec":{"replicas":%d}}`, want)
		_, err := f.Client.AppsV1().Deployments(w.Namespace).Patch(ctx, w.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "scale")
		if err != nil {
			return fmt.Errorf("scaling %s: %w", w.Name, err)
		}
	}
	return nil
}

func placed(pods []*corev1.Pod, namespace, app string) (n int) {
	for _, p := range pods {
		if p.Namespace == namespace && p.Labels["app"] == app && p.Spec.NodeName != "" && p.DeletionTimestamp == nil {
			n++
		}
	}
	return n
}

func (f *Filler) cordon(ctx context.Context) error {
	for _, name := range Cordoned {
		_, err := f.Client.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, []byte(`{"spec":{"unschedulable":true}}`), metav1.PatchOptions{})
		if err != nil {
			return fmt.Errorf("cordoning %s: %w", name, err)
		}
	}
	return nil
}

func summary(pods []*corev1.Pod, nodes int) string {
	bound := 0
	for _, p := range pods {
		if p.Spec.NodeName != "" {
			bound++
		}
	}
	return fmt.Sprintf("%d nodes, %d pods on them, %d waiting", nodes, bound, len(pods)-bound)
}
