{{- define "labels" -}}
{{ include "selector" . }}
app.kubernetes.io/version: {{ include "version" . | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "minor" -}}
{{ .Capabilities.KubeVersion.Minor | trimSuffix "+" }}
{{- end }}

{{- define "version" -}}
{{ get .Values.image.tags (include "minor" .) | default .Chart.AppVersion }}
{{- end }}

{{- define "image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default (include "version" $) }}{{ end }}
{{- end -}}
{{- end }}
