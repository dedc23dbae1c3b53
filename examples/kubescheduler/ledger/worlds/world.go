package worlds

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/outrank-go/outrank"
)

// World is a small dump.
type World struct {
	// Name is that of its file, and About says in a sentence what it is for.
	Name, About string
	Release     outrank.Release
	Objects     []Object
}

// Object is an object in JSON.
type Object = map[string]any

//go:embed testdata
var files embed.FS

// All reads the worlds, in the order of their names.
func All() ([]*World, error) {
	names, err := fs.Glob(files, "testdata/*.json")
	if err != nil {
		return nil, err
	}
	var all []*World
	for _, name := range names {
		w, err := load(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, w)
	}
	return all, nil
}

func load(name string) (*World, error) {
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var list struct {
		About, Release string
		Items          []Object
	}
	if err := decode(text, &list); err != nil {
		return nil, err
	}
	release, err := outrank.ParseRelease(list.Release)
	if err != nil {
		return nil, err
	}
	return &World{Name: strings.TrimSuffix(path.Base(name), ".json"), About: list.About, Release: release, Objects: list.Items}, nil
}

// decode decodes JSON and keeps numbers as they are written.
func decode(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(to)
}

// kindOf and nameOf name an object.
func kindOf(o Object) string { kind, _ := o["kind"].(string); return kind }

func nameOf(o Object) string {
	meta, _ := o["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	return name
}

// clone copies a JSON value.
func clone[T any](v T) T {
	var out any
	switch v := any(v).(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, x := range v {
			m[k] = clone(x)
		}
		out = m
	case []any:
		list := make([]any, len(v))
		for i, x := range v {
			list[i] = clone(x)
		}
		out = list
	default:
		return any(v).(T)
	}
	return out.(T)
}

// text returns the world as a List.
func (w *World) text() ([]byte, error) {
	return json.Marshal(map[string]any{"kind": "List", "apiVersion": "v1", "items": w.Objects})
}
