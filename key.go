package outrank

import "strings"

// Key names a pod, a pod group, a budget or a claim within its kind, as
// "namespace/name". Keys of different kinds must not be mixed up: a pod and a
// group may have the same one. The empty Key names nothing.
//
// A Key is a string for maps and messages. Two objects of a kind never share a Key,
// because in Kubernetes neither namespaces nor names have a slash.
type Key string

// NewKey returns the key of this namespace and name; an empty namespace is
// "default".
func NewKey(namespace, name string) Key {
	return Key(namespaceOr(namespace) + "/" + name)
}

// Split returns the namespace and the name. Without a slash in the key, the
// namespace is "default" and all of the key is the name. It allocates nothing.
func (k Key) Split() (namespace, name string) {
	namespace, name, found := strings.Cut(string(k), "/")
	if !found {
		return DefaultNamespace, string(k)
	}
	return namespace, name
}

// DefaultNamespace is the namespace of an object that names none.
const DefaultNamespace = "default"

// namespaceOr returns name, or DefaultNamespace for an empty one.
func namespaceOr(name string) string {
	if name == "" {
		return DefaultNamespace
	}
	return name
}
