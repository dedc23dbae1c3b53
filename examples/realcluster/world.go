package main

import (
	"context"
	"fmt"
	"path/filepath"
	goruntime "runtime"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/outrank-go/outrank/examples/realcluster/internal/controlplane"
	"github.com/outrank-go/outrank/examples/realcluster/internal/fill"
	"github.com/outrank-go/outrank/examples/realcluster/internal/kubelet"
	"github.com/outrank-go/outrank/examples/realcluster/internal/observe"
	"github.com/outrank-go/outrank/examples/realcluster/internal/trial"
)

// world is a control plane with stand-ins for the kubelets, and with informers that follow it.
type world struct {
	cluster  *controlplane.Cluster
	client   kubernetes.Interface
	factory  informers.SharedInformerFactory
	kubelets *kubelet.Kubelets
	pods     *observe.Pods
	stop     context.CancelFunc
	say      func(string, ...any)
}

// habits say how the kubelets of a world behave, and who else uses its informers.
type habits struct {
	// podsEndAfter is how long a pod takes to end.
	podsEndAfter time.Duration
	// trouble is called with errors, after which the kubelets try again.
	trouble func(error)
	// follow, if set, is called with the informers before they are started.
	follow func(informers.SharedInformerFactory) error
}

// startsWithin is the range of the pods' start times.
const startsWithin = 30 * 24 * time.Hour

func newWorld(ctx context.Context, c *controlplane.Cluster, v controlplane.Versions, h habits, say func(string, ...any)) (*world, error) {
	config := rest.CopyConfig(c.Rest)
	config.ContentType = runtime.ContentTypeProtobuf // JSON cannot represent some times that the API server accepts
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}

	ctx, stop := context.WithCancel(ctx)
	w := &world{cluster: c, client: client, factory: informers.NewSharedInformerFactory(client, 0), stop: stop, say: say}
	if w.pods, err = observe.Follow(w.factory); err == nil {
		w.kubelets, err = kubelet.Start(ctx, kubelet.Config{
			Client: client, Version: v.Kubernetes, Delay: h.podsEndAfter, Spread: startsWithin, Workers: 8, Trouble: h.trouble,
		}, w.factory)
	}
	if err == nil && h.follow != nil {
		err = h.follow(w.factory)
	}
	if err != nil {
		stop()
		return nil, err
	}

	w.factory.Start(ctx.Done())
	w.factory.WaitForCacheSync(ctx.Done())
	return w, nil
}

// end ends the kubelets.
func (w *world) end() {
	w.stop()
	w.kubelets.Wait()
	w.factory.Shutdown()
}

// fillWithin is the time limit of each stage of filling.
const fillWithin = 5 * time.Minute

func (w *world) fill(ctx context.Context) error {
	f := &fill.Filler{
		Client: w.client, Pods: w.pods.All, Say: w.say,
		Settled: func(ctx context.Context, want map[string]int) error {
			ctx, cancel := context.WithTimeout(ctx, fillWithin)
			defer cancel()
			if err := w.pods.Count(ctx, want); err != nil {
				return err
			}
			return w.pods.Wait(ctx, observe.Stillness{For: 4 * time.Second})
		},
	}
	return f.Fill(ctx)
}

// replicas returns how many pods each deployment of the cluster asks for, by namespace and label app.
func (w *world) replicas(ctx context.Context) (map[string]int, error) {
	all, err := w.client.AppsV1().Deployments("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	want := map[string]int{}
	for i := range all.Items {
		if app := all.Items[i].Spec.Selector.MatchLabels["app"]; app != "" {
			want[all.Items[i].Namespace+"/"+app] = int(*all.Items[i].Spec.Replicas)
		}
	}
	return want, nil
}

// runner returns a runner of trials in this world. It takes dumps with the command in the README.
func (w *world) runner(program func(string) string, dir string) (*trial.Runner, error) {
	command, err := trial.ReadmeCommand(readme)
	if err != nil {
		return nil, err
	}
	dump := append([]string{program("kubectl"), "--kubeconfig", w.cluster.Kubeconfig}, command[1:]...)
	w.say("the dump is taken with %s (%s/%s)", fmt.Sprint(command), goruntime.GOOS, goruntime.GOARCH)
	configuration := filepath.Join(dir, "profiles.json")
	if err := w.cluster.WriteProfiles(configuration); err != nil {
		return nil, err
	}
	return &trial.Runner{
		Client: w.client, Pods: w.pods, Dump: dump, Whatif: program("whatif"), Configuration: configuration, Dir: dir, Say: w.say,
		Hold: w.kubelets.Hold, Idle: w.kubelets.Idle,
		Pause: w.cluster.PauseControllers, Resume: w.cluster.ResumeControllers,
		Metrics: func(ctx context.Context) (map[string]float64, error) { return w.cluster.SchedulerMetrics(ctx) },
	}, nil
}
