package main

import (
	"encoding/json"
	"io"
	"strings"

	"sigs.k8s.io/yaml"
)

// formats are the values of --output.
var formats = []string{"text", "wide", "json", "yaml", "html"}

// formatNames lists them.
func formatNames() string {
	last := len(formats) - 1
	return strings.Join(formats[:last], ", ") + " or " + formats[last]
}

// writeJSON writes a document of this program.
func writeJSON(w io.Writer, document any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(document)
}

// writeYAML writes what writeJSON would, as YAML.
func writeYAML(w io.Writer, document any) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	if text, err = yaml.JSONToYAML(text); err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
