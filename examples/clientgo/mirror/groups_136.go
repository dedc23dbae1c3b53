//go:build kube136

package mirror

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// The rules of v1.36 know no groups, so that none are followed.

// putGroupKind is never called, because no object has such a kind.
func (m *Mirror) putGroupKind(id, any) error { return nil }

// groupKindOf returns an empty kind for every object.
func groupKindOf(any) (kind string, namespaced bool) { return "", false }

// groupInformerOf returns nil for every kind.
func groupInformerOf(informers.SharedInformerFactory, Kind) cache.SharedIndexInformer { return nil }
