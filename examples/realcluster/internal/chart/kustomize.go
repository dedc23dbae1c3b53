package chart

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
)

// Kubectl runs kubectl.
type Kubectl struct {
	// Program is the path of kubectl. Kubeconfig has the credentials of an administrator.
	Program, Kubeconfig string
}

// Apply applies the objects of a kustomize folder.
func (k *Kubectl) Apply(ctx context.Context, folder string) error {
	_, err := k.run(ctx, "apply", "-k", folder)
	return err
}

// Stored returns the objects of a file as the API server stores them, by kind and name. It leaves out fields
// that differ each time the same manifest is created, and fields that name the program that created the object.
func (k *Kubectl) Stored(ctx context.Context, file string) (map[string]any, error) {
	text, err := k.run(ctx, "get", "-f", file, "-o", "json")
	if err != nil {
		return nil, err
	}
	return stored(text)
}

func (k *Kubectl) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, k.Program, append(args, "--kubeconfig", k.Kubeconfig)...)
	var trouble bytes.Buffer
	cmd.Stderr = &trouble
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("kubectl %s: %w\n%s", args[0], err, bytes.TrimSpace(trouble.Bytes()))
	}
	return out, nil
}

type object = map[string]any

// stored reads a list of objects.
func stored(list []byte) (map[string]any, error) {
	var of struct{ Items []object }
	if err := json.Unmarshal(list, &of); err != nil {
		return nil, err
	}
	all := map[string]any{}
	for _, o := range of.Items {
		meta, ok := o["metadata"].(object)
		if !ok {
			return nil, fmt.Errorf("an object without metadata: %v", o)
		}
		all[fmt.Sprint(o["kind"], "/", meta["name"])] = bare(o, meta)
	}
	return all, nil
}

// bare removes from an object everything that the API server or the applying program adds.
func bare(o, meta object) object {
	delete(o, "status")
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields"} {
		delete(meta, field)
	}
	if notes, ok := meta["annotations"].(object); ok {
		maps.DeleteFunc(notes, func(name string, _ any) bool {
			return strings.HasPrefix(name, "meta.helm.sh/") || strings.HasPrefix(name, "kubectl.kubernetes.io/") || name == "deployment.kubernetes.io/revision"
		})
		if len(notes) == 0 {
			delete(meta, "annotations")
		}
	}
	if spec, ok := o["spec"].(object); ok && o["kind"] == "Service" {
		delete(spec, "clusterIP")
		delete(spec, "clusterIPs")
	}
	return o
}

// Apart lists the objects that differ between two sets, or that one set lacks.
func Apart(a, b map[string]any) (names []string) {
	for name := range a {
		if _, ok := b[name]; !ok {
			names = append(names, name)
		}
	}
	for name, o := range b {
		one, err := json.Marshal(a[name])
		two, other := json.Marshal(o)
		if err != nil || other != nil || !bytes.Equal(one, two) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
