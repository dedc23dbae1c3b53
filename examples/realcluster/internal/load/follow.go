package load

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/clientgo/mirror"
)

// differences returns the differences between the mirror that has followed the cluster and a mirror that has
// just listed it. It allows for changes that are still on their way.
func differences(ctx context.Context, client kubernetes.Interface, followed *mirror.Mirror) ([]string, error) {
	for try := 0; ; try++ {
		fresh, err := listed(ctx, client)
		if err != nil {
			return nil, err
		}
		out := unlike(followed.Cluster(), fresh.Cluster())
		if len(out) == 0 || try == 10 {
			return out, nil
		}
		time.Sleep(time.Second)
	}
}

// listed returns a new mirror, filled by new informers.
func listed(ctx context.Context, client kubernetes.Interface) (*mirror.Mirror, error) {
	m, err := mirror.New(outrank.V1_37)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	factory := informers.NewSharedInformerFactory(client, 0)
	defer factory.Shutdown()
	defer cancel()
	synced, err := m.Follow(factory, mirror.Everything...)
	if err != nil {
		return nil, err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return nil, fmt.Errorf("listing the cluster: %w", ctx.Err())
	}
	return m, nil
}

// unlike names the objects that differ between two clusters.
func unlike(followed, fresh *outrank.Cluster) []string {
	a, b := objectsOf(followed), objectsOf(fresh)
	var out []string
	for name, o := range a {
		if other, ok := b[name]; !ok {
			out = append(out, name+" is there no longer")
		} else if !reflect.DeepEqual(o, other) {
			out = append(out, name+" has another "+fields(o, other))
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			out = append(out, name+" was missed")
		}
	}
	slices.Sort(out)
	return out
}

// fields names the fields in which two objects of a type differ.
func fields(followed, fresh any) string {
	a, b := reflect.Indirect(reflect.ValueOf(followed)), reflect.Indirect(reflect.ValueOf(fresh))
	var out []string
	for i := range a.NumField() {
		if !a.Type().Field(i).IsExported() {
			continue
		}
		if x, y := a.Field(i).Interface(), b.Field(i).Interface(); !reflect.DeepEqual(x, y) {
			out = append(out, fmt.Sprintf("%s: %+v, not %+v", a.Type().Field(i).Name, x, y))
		}
	}
	return strings.Join(out, ", ")
}

// objectsOf returns the objects of a cluster by kind and name. It leaves out the API object of a pod, because
// printing its quantities changes them.
func objectsOf(c *outrank.Cluster) map[string]any {
	out := map[string]any{}
	for _, o := range c.Nodes {
		out["node "+o.Name] = o
	}
	for _, o := range c.Pods {
		p := *o
		p.Value = nil
		out["pod "+string(o.Key())] = &p
	}
	for _, o := range c.Budgets {
		out["budget "+o.Namespace+"/"+o.Name] = o
	}
	for _, o := range c.Namespaces {
		out["namespace "+o.Name] = o
	}
	for _, o := range c.Claims {
		out["claim "+o.Namespace+"/"+o.Name] = o
	}
	return out
}
