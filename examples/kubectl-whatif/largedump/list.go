package main

import (
	"bufio"
	"bytes"
	"encoding/json"

	"sigs.k8s.io/yaml"
)

// object is an object of the API, or a part of one.
type object = map[string]any

// list writes a List as kubectl prints it, object by object.
type list struct {
	// add writes one more object, and end what follows the last one.
	add func(object) error
	end func() error
}

// jsonList begins a list in JSON.
func jsonList(w *bufio.Writer) list {
	before := "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n        "
	add := func(o object) error {
		text, err := json.MarshalIndent(o, "        ", "    ")
		if err != nil {
			return err
		}
		w.WriteString(before)
		before = ",\n        "
		_, err = w.Write(text)
		return err
	}
	end := func() error {
		_, err := w.WriteString("\n    ],\n    \"kind\": \"List\",\n    \"metadata\": {\n        \"resourceVersion\": \"\"\n    }\n}\n")
		return err
	}
	return list{add, end}
}

// yamlList begins a list in YAML.
func yamlList(w *bufio.Writer) list {
	w.WriteString("apiVersion: v1\nitems:\n")
	add := func(o object) error {
		text, err := yaml.Marshal(o)
		if err != nil {
			return err
		}
		// An entry is the object, indented by the dash and a space.
		lead := "- "
		for line := range bytes.Lines(text) {
			w.WriteString(lead)
			lead = "  "
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
		return nil
	}
	end := func() error {
		_, err := w.WriteString("kind: List\nmetadata:\n  resourceVersion: \"\"\n")
		return err
	}
	return list{add, end}
}
