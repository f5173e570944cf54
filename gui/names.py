"""Object names: what style sheets and tests address. They never change with the language."""

from __future__ import annotations

# ---- actions (QAction, also on the main window) -------------------------------------------------
START_ACTION = "startAction"
STOP_ACTION = "stopAction"
STOP_NOW_ACTION = "stopNowAction"
APPLY_ACTION = "applyAction"
STAGING_ACTION = "stagingAction"
EXPORT_ACTION = "exportAction"
UNDO_ACTION = "undoAction"
REDO_ACTION = "redoAction"
ADD_HOSTS_ACTION = "addHostsAction"
OPEN_PROFILE_ACTION = "openProfileAction"
SAVE_PROFILE_ACTION = "saveProfileAction"
SAVE_PROFILE_AS_ACTION = "saveProfileAsAction"
REHEARSAL_ACTION = "rehearsalAction"
HELP_ACTION = "helpAction"
QUIT_ACTION = "quitAction"

# ---- tool bar -----------------------------------------------------------------------------------
TOOL_BAR = "toolBar"
START_BUTTON = "startButton"
STOP_BUTTON = "stopButton"
APPLY_BUTTON = "applyButton"
EXPORT_BUTTON = "exportButton"
STATE_PILL = "statePill"
WORLD_SIZE_LABEL = "worldSizeLabel"
EPOCH_LABEL = "epochLabel"
EPOCH_BAR = "epochBar"
ETA_LABEL = "etaLabel"
ELAPSED_LABEL = "elapsedLabel"
RUN_NAME_LABEL = "runNameLabel"

# ---- host board ---------------------------------------------------------------------------------
AVAILABLE_HOSTS = "availableHosts"
JOB_HOSTS = "jobHosts"
HOST_SEARCH = "hostSearch"
ADD_HOSTS_BUTTON = "addHostsButton"
ADD_HOSTS_DIALOG = "addHostsDialog"
ADD_HOSTS_TEXT = "addHostsText"

# ---- centre -------------------------------------------------------------------------------------
CENTRE_TABS = "centreTabs"
CURVES_PAGE = "curvesPage"
LAUNCH_PANEL = "launchPanel"
COMMAND_PREVIEW = "commandPreview"
SCRIPT_PREVIEW = "scriptPreview"
COPY_COMMAND_BUTTON = "copyCommandButton"
COPY_SCRIPT_BUTTON = "copyScriptButton"

# ---- bottom -------------------------------------------------------------------------------------
BOTTOM_TABS = "bottomTabs"
LOG_PANEL = "logPanel"
LOG_VIEW = "logView"
LOG_SEARCH = "logSearch"
LOG_STREAM = "logStream"
LOG_LEVEL = "logLevel"
LOG_FOLLOW = "logFollow"
PROBLEMS_VIEW = "problemsView"
RESIZES_VIEW = "resizesView"
RUNS_VIEW = "runsView"
RUNS_OPEN_BUTTON = "runsOpenButton"
RUNS_REVEAL_BUTTON = "runsRevealButton"
RUNS_REFRESH_BUTTON = "runsRefreshButton"

TOAST = "toast"


def field(name: str) -> str:
    """The editor of a profile's field in the launch panel."""
    return f"field.{name}"


def field_error(name: str) -> str:
    """The label below that editor which says what is wrong."""
    return f"fieldError.{name}"
