<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ko" sourcelanguage="en">
<context>
    <name>Actions</name>
    <message>
        <source>&amp;File</source>
        <translation>파일(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>편집(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>실행(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>보기(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>도움말(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>테마(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>언어(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Start</source>
        <translation>시작(&amp;S)</translation>
    </message>
    <message>
        <source>S&amp;top</source>
        <translation>중지(&amp;T)</translation>
    </message>
    <message>
        <source>Stop at &amp;once…</source>
        <translation>즉시 중지(&amp;O)…</translation>
    </message>
    <message>
        <source>S&amp;tage moves and apply them together</source>
        <translation>이동을 모아 두었다가 한 번에 적용(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>실행 취소(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>다시 실행(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;Add hosts…</source>
        <translation>호스트 추가(&amp;A)…</translation>
    </message>
    <message>
        <source>&amp;Open profile…</source>
        <translation>프로필 열기(&amp;O)…</translation>
    </message>
    <message>
        <source>&amp;Save profile</source>
        <translation>프로필 저장(&amp;S)</translation>
    </message>
    <message>
        <source>Save profile &amp;as…</source>
        <translation>다른 이름으로 프로필 저장(&amp;A)…</translation>
    </message>
    <message>
        <source>Try the &amp;rehearsal</source>
        <translation>리허설 해 보기(&amp;R)</translation>
    </message>
    <message>
        <source>Search &amp;hosts</source>
        <translation>호스트 검색(&amp;H)</translation>
    </message>
    <message>
        <source>Search the &amp;log</source>
        <translation>로그 검색(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Curves</source>
        <translation>곡선(&amp;C)</translation>
    </message>
    <message>
        <source>&amp;Launch</source>
        <translation>실행 설정(&amp;L)</translation>
    </message>
    <message>
        <source>Save the &amp;curves…</source>
        <translation>곡선 저장(&amp;C)…</translation>
    </message>
    <message>
        <source>&amp;Keys and help</source>
        <translation>단축키와 도움말(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>끝내기(&amp;Q)</translation>
    </message>
    <message>
        <source>Stop at the next commit: nothing that was learned is lost</source>
        <translation>다음 커밋에서 멈춥니다. 학습한 내용은 사라지지 않습니다</translation>
    </message>
    <message>
        <source>As the &amp;system</source>
        <translation>시스템 설정대로(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Light</source>
        <translation>밝게(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Dark</source>
        <translation>어둡게(&amp;D)</translation>
    </message>
</context>
<context>
    <name>AddHosts</name>
    <message>
        <source>Type at least one host.</source>
        <translation>호스트를 하나 이상 입력하세요.</translation>
    </message>
    <message>
        <source>write it as name or name:slots.</source>
        <translation>이름 또는 이름:슬롯 형식으로 쓰세요.</translation>
    </message>
    <message>
        <source>Line {0}: {1}</source>
        <translation>{0}행: {1}</translation>
    </message>
</context>
<context>
    <name>AddHostsDialog</name>
    <message>
        <source>Add hosts</source>
        <translation>호스트 추가</translation>
    </message>
    <message>
        <source>One host a line, with its slots: how many workers it has room for. Lines of a hostfile may be pasted.</source>
        <translation>한 줄에 호스트 하나와 슬롯 수(실행할 수 있는 워커 수)를 쓰세요. hostfile의 내용을 붙여 넣어도 됩니다.</translation>
    </message>
    <message>
        <source>Hosts, one a line</source>
        <translation>호스트, 한 줄에 하나</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>추가</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
</context>
<context>
    <name>Application</name>
    <message>
        <source>{0} was still going. Here it is again, with every point.</source>
        <translation>{0} 실행이 계속되고 있었습니다. 모든 점과 함께 다시 표시합니다.</translation>
    </message>
    <message>
        <source>Another run is still going: {0}.</source>
        <translation>다른 실행이 아직 진행 중입니다: {0}.</translation>
    </message>
    <message>
        <source>Show it</source>
        <translation>보기</translation>
    </message>
    <message>
        <source>{0} went on although its supervisor died. It is taken over, with every point.</source>
        <translation>감독 프로세스가 죽었지만 실행 {0}은(는) 계속되었습니다. 모든 점과 함께 이어받습니다.</translation>
    </message>
    <message>
        <source>{0} ended while nobody watched. Here it is, with every point.</source>
        <translation>실행 {0}이(가) 아무도 지켜보지 않는 사이에 끝났습니다. 모든 점과 함께 보여 드립니다.</translation>
    </message>
    <message numerus="yes">
        <source>%n more in the list of runs.</source>
        <translation>
            <numerusform>실행 목록에 %n개 더 있습니다.</numerusform>
        </translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>실행 목록</translation>
    </message>
</context>
<context>
    <name>Curves</name>
    <message>
        <source>%1 s from request to first step</source>
        <translation>요청부터 첫 스텝까지 %1초</translation>
    </message>
    <message>
        <source>repeated steps: %1</source>
        <translation>반복한 스텝: %1</translation>
    </message>
    <message>
        <source>step %1</source>
        <translation>스텝 %1</translation>
    </message>
    <message>
        <source>epoch %1</source>
        <translation>에포크 %1</translation>
    </message>
    <message>
        <source>world size %1</source>
        <translation>월드 크기 %1</translation>
    </message>
    <message>
        <source>%1 samples</source>
        <translation>샘플 %1개</translation>
    </message>
    <message>
        <source>learning rate</source>
        <translation>학습률</translation>
    </message>
    <message>
        <source>Left drag: zoom to a box. Double click or 0: show everything.</source>
        <translation>왼쪽 끌기: 상자 영역 확대. 두 번 클릭 또는 0: 전체 보기.</translation>
    </message>
    <message>
        <source>Wheel: zoom the x axis; with Ctrl: the y axis.</source>
        <translation>휠: x축 확대, Ctrl과 함께: y축 확대.</translation>
    </message>
    <message>
        <source>Middle drag, or Shift and left drag: move.</source>
        <translation>가운데 끌기 또는 Shift+왼쪽 끌기: 이동.</translation>
    </message>
    <message>
        <source>Left and Right: move. + and -: zoom. Backspace: back.</source>
        <translation>왼쪽/오른쪽: 이동. +/-: 확대/축소. Backspace: 뒤로.</translation>
    </message>
    <message>
        <source>L: log y. S: smoothing. F: follow. /: filter. F1: this help.</source>
        <translation>L: 로그 y축. S: 평활화. F: 따라가기. /: 필터. F1: 이 도움말.</translation>
    </message>
    <message>
        <source>Click a name above a plot to hide its curve, twice to see it alone.</source>
        <translation>그래프 위의 이름을 클릭하면 곡선을 숨기고, 두 번 클릭하면 그것만 봅니다.</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>검증</translation>
    </message>
    <message>
        <source>training</source>
        <translation>학습</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>손실</translation>
    </message>
    <message>
        <source>accuracy</source>
        <translation>정확도</translation>
    </message>
    <message>
        <source>world size</source>
        <translation>월드 크기</translation>
    </message>
    <message>
        <source>1 point at or below 0 is not shown</source>
        <translation>0 이하인 점 1개는 표시하지 않습니다</translation>
    </message>
    <message>
        <source>%1 points at or below 0 are not shown</source>
        <translation>0 이하인 점 %1개는 표시하지 않습니다</translation>
    </message>
    <message>
        <source>step</source>
        <translation>스텝</translation>
    </message>
    <message>
        <source>epoch</source>
        <translation>에포크</translation>
    </message>
    <message>
        <source>samples seen by all workers</source>
        <translation>모든 워커가 본 샘플 수</translation>
    </message>
    <message>
        <source>time since the start (min:s)</source>
        <translation>시작 후 시간 (분:초)</translation>
    </message>
    <message>
        <source>time of day</source>
        <translation>시각</translation>
    </message>
    <message>
        <source>No points yet</source>
        <translation>아직 점이 없습니다</translation>
    </message>
    <message>
        <source>step %1, epoch %2, resizes: %3</source>
        <translation>스텝 %1, 에포크 %2, 크기 변경: %3</translation>
    </message>
</context>
<context>
    <name>CurvesPanel</name>
    <message>
        <source>This run ended before its first point; the log says why</source>
        <translation>이 실행은 첫 점이 나오기 전에 끝났습니다. 이유는 로그에 있습니다</translation>
    </message>
    <message>
        <source>Curves appear here when training starts</source>
        <translation>학습이 시작되면 여기에 곡선이 나타납니다</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>곡선</translation>
    </message>
    <message>
        <source>Plots of the run</source>
        <translation>실행의 그래프</translation>
    </message>
</context>
<context>
    <name>ExportController</name>
    <message>
        <source>Choose the folder for the SavedModel</source>
        <translation>SavedModel을 저장할 폴더 선택</translation>
    </message>
    <message>
        <source>Asking rank 0…</source>
        <translation>랭크 0에 요청 중…</translation>
    </message>
    <message>
        <source>The run did not say which export it makes. Export again.</source>
        <translation>실행이 어떤 내보내기인지 알려 주지 않았습니다. 다시 내보내세요.</translation>
    </message>
    <message>
        <source>Waiting for the commit…</source>
        <translation>커밋을 기다리는 중…</translation>
    </message>
    <message>
        <source>Writing…</source>
        <translation>쓰는 중…</translation>
    </message>
    <message>
        <source>Verifying…</source>
        <translation>검증 중…</translation>
    </message>
    <message>
        <source>The export failed. See the log.</source>
        <translation>내보내기에 실패했습니다. 로그를 확인하세요.</translation>
    </message>
    <message>
        <source>Copying…</source>
        <translation>복사 중…</translation>
    </message>
    <message>
        <source>Copying {0} %</source>
        <translation>복사 중 {0}%</translation>
    </message>
    <message>
        <source>SavedModel of step {0} saved: {1} in {2}.</source>
        <translation>스텝 {0}의 SavedModel을 저장했습니다: {1}, 위치 {2}.</translation>
    </message>
    <message>
        <source>Reloaded without Horovod, its predictions differ by at most {0}.</source>
        <translation>Horovod 없이 다시 불러온 예측값과의 최대 차이는 {0}입니다.</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>보기</translation>
    </message>
</context>
<context>
    <name>FieldEditor</name>
    <message>
        <source>Maypole&apos;s (corrected)</source>
        <translation>Maypole (수정판)</translation>
    </message>
    <message>
        <source>stock horovodrun</source>
        <translation>기본 horovodrun</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>선택…</translation>
    </message>
    <message>
        <source>Choose: {0}</source>
        <translation>선택: {0}</translation>
    </message>
</context>
<context>
    <name>FieldText</name>
    <message>
        <source>Type a whole number.</source>
        <translation>정수를 입력하세요.</translation>
    </message>
    <message>
        <source>A quotation mark is left open. Close it.</source>
        <translation>닫히지 않은 따옴표가 있습니다. 닫아 주세요.</translation>
    </message>
    <message>
        <source>Line {0}: write it as NAME=value.</source>
        <translation>{0}행: 이름=값 형식으로 쓰세요.</translation>
    </message>
    <message>
        <source>Type two whole numbers, such as 10 120.</source>
        <translation>10 120처럼 정수 두 개를 입력하세요.</translation>
    </message>
</context>
<context>
    <name>Figures</name>
    <message>
        <source>{0} s</source>
        <translation>{0}초</translation>
    </message>
    <message>
        <source>{0} min {1} s</source>
        <translation>{0}분 {1}초</translation>
    </message>
    <message>
        <source>{0} h {1} min</source>
        <translation>{0}시간 {1}분</translation>
    </message>
    <message>
        <source>{0} d {1} h</source>
        <translation>{0}일 {1}시간</translation>
    </message>
    <message>
        <source>{0} min</source>
        <translation>{0}분</translation>
    </message>
</context>
<context>
    <name>Filing</name>
    <message>
        <source>Open a profile</source>
        <translation>프로필 열기</translation>
    </message>
    <message>
        <source>Profiles (*.toml)</source>
        <translation>프로필 (*.toml)</translation>
    </message>
    <message>
        <source>Save the profile</source>
        <translation>프로필 저장</translation>
    </message>
    <message>
        <source>Saved as {0}.</source>
        <translation>저장했습니다: {0}.</translation>
    </message>
    <message>
        <source>The file that was there could not be read; it is now {0}.</source>
        <translation>원래 있던 파일은 읽을 수 없어 이름을 바꾸었습니다: {0}.</translation>
    </message>
    <message>
        <source>Save the log</source>
        <translation>로그 저장</translation>
    </message>
    <message>
        <source>Text (*.log *.txt)</source>
        <translation>텍스트 (*.log *.txt)</translation>
    </message>
    <message>
        <source>Picture (*.png);;Drawing (*.svg);;Table of all points (*.csv)</source>
        <translation>그림 (*.png);;벡터 그림 (*.svg);;모든 점의 표 (*.csv)</translation>
    </message>
    <message>
        <source>Save the curves</source>
        <translation>곡선 저장</translation>
    </message>
    <message>
        <source>Cannot write {0}: {1}</source>
        <translation>{0} 파일을 쓸 수 없습니다: {1}</translation>
    </message>
</context>
<context>
    <name>Guards</name>
    <message>
        <source>The last host cannot leave a running job: the training would have nowhere to go on. Press Stop to end it, or add another host first.</source>
        <translation>마지막 호스트는 실행 중인 작업에서 뺄 수 없습니다. 학습을 이어 갈 곳이 없어집니다. 끝내려면 중지를 누르고, 아니면 다른 호스트를 먼저 추가하세요.</translation>
    </message>
    <message>
        <source>All hosts that train now ({0}) would leave at once, and what was learned since the last checkpoint with them. Keep one of them, wait until a new host trains, then remove it.</source>
        <translation>지금 학습 중인 모든 호스트({0})가 한꺼번에 빠지면 마지막 체크포인트 이후에 학습한 내용도 사라집니다. 하나를 남겨 두고 새 호스트가 학습을 시작한 뒤에 빼세요.</translation>
    </message>
    <message>
        <source>The job would have {0} of the {1} slots that --min-np asks for. It waits until there are enough, and fails if that takes longer than the elastic timeout of {2} s.</source>
        <translation>--min-np가 요구하는 {1}개 슬롯 중 {0}개만 남습니다. 슬롯이 충분해질 때까지 기다리며, 엘라스틱 제한 시간 {2}초를 넘기면 실패합니다.</translation>
    </message>
    <message>
        <source>{0} had rank 0. {1} follows: it tells the curves and writes the exports from now on.</source>
        <translation>{0}의 랭크 0은 {1} 호스트가 이어받습니다. 이제부터 곡선 값과 내보내기는 이 호스트가 맡습니다.</translation>
    </message>
</context>
<context>
    <name>Help</name>
    <message>
        <source>Start the run</source>
        <translation>실행 시작</translation>
    </message>
    <message>
        <source>Stop the run at its next commit</source>
        <translation>다음 커밋에서 실행 중지</translation>
    </message>
    <message>
        <source>Export the SavedModel</source>
        <translation>SavedModel 내보내기</translation>
    </message>
    <message>
        <source>Move the selected hosts to the other column</source>
        <translation>선택한 호스트를 다른 열로 이동</translation>
    </message>
    <message>
        <source>Remove hosts from the job, or take them off the list</source>
        <translation>호스트를 작업에서 빼거나 목록에서 제거</translation>
    </message>
    <message>
        <source>Change the slots of a host</source>
        <translation>호스트의 슬롯 수 변경</translation>
    </message>
    <message>
        <source>Undo, redo a move of hosts</source>
        <translation>호스트 이동 실행 취소, 다시 실행</translation>
    </message>
    <message>
        <source>Search hosts</source>
        <translation>호스트 검색</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>로그 검색</translation>
    </message>
    <message>
        <source>Curves, launch panel</source>
        <translation>곡선, 실행 설정</translation>
    </message>
    <message>
        <source>Open, save the profile</source>
        <translation>프로필 열기, 저장</translation>
    </message>
    <message>
        <source>This help</source>
        <translation>이 도움말</translation>
    </message>
</context>
<context>
    <name>HelpDialog</name>
    <message>
        <source>Keys</source>
        <translation>단축키</translation>
    </message>
    <message>
        <source>Drag hosts into the job, press Start, and drag more in or out while it trains. Closing the window never stops a training.</source>
        <translation>호스트를 작업으로 끌어 넣고 시작을 누르세요. 학습하는 동안에도 호스트를 끌어 넣거나 뺄 수 있습니다. 창을 닫아도 학습은 멈추지 않습니다.</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
</context>
<context>
    <name>HostBoard</name>
    <message>
        <source>Available · {0}</source>
        <translation>사용 가능 · {0}</translation>
    </message>
    <message numerus="yes">
        <source>%n slot(s)</source>
        <translation>
            <numerusform>슬롯 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>In the job · {0} · {1}</source>
        <translation>작업 중 · {0} · {1}</translation>
    </message>
    <message>
        <source>No host matches the search.</source>
        <translation>검색과 일치하는 호스트가 없습니다.</translation>
    </message>
    <message>
        <source>Drag hosts here, or press Enter on them.</source>
        <translation>호스트를 여기로 끌어 오거나 선택하고 Enter를 누르세요.</translation>
    </message>
    <message>
        <source>Add the hosts that can train, or try the rehearsal: four hosts that all live on this computer.</source>
        <translation>학습에 쓸 호스트를 추가하거나 리허설을 해 보세요. 이 컴퓨터 안에 있는 호스트 네 개로 연습합니다.</translation>
    </message>
    <message>
        <source>All hosts are in the job.</source>
        <translation>모든 호스트가 작업에 들어 있습니다.</translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation>호스트</translation>
    </message>
    <message>
        <source>Search hosts</source>
        <translation>호스트 검색</translation>
    </message>
    <message>
        <source>Search hosts by name, state or tag</source>
        <translation>이름, 상태, 태그로 호스트 검색</translation>
    </message>
    <message>
        <source>Add hosts</source>
        <translation>호스트 추가</translation>
    </message>
    <message>
        <source>Available hosts</source>
        <translation>사용 가능한 호스트</translation>
    </message>
    <message>
        <source>Enter adds the selected hosts to the job</source>
        <translation>Enter를 누르면 선택한 호스트를 작업에 추가합니다</translation>
    </message>
    <message>
        <source>Hosts in the job</source>
        <translation>작업 중인 호스트</translation>
    </message>
    <message>
        <source>Delete removes the selected hosts from the job</source>
        <translation>Delete를 누르면 선택한 호스트를 작업에서 뺍니다</translation>
    </message>
    <message>
        <source>Drag cards across. Or Enter adds, Del removes.</source>
        <translation>카드를 끌어 옮기세요. Enter로 추가, Del로 제거.</translation>
    </message>
    <message>
        <source>Add hosts…</source>
        <translation>호스트 추가…</translation>
    </message>
    <message>
        <source>Try the rehearsal</source>
        <translation>리허설 해 보기</translation>
    </message>
</context>
<context>
    <name>HostCard</name>
    <message>
        <source>Slots of {0}</source>
        <translation>{0}의 슬롯 수</translation>
    </message>
</context>
<context>
    <name>HostList</name>
    <message>
        <source>Remove from the job	Del</source>
        <translation>작업에서 빼기	Del</translation>
    </message>
    <message>
        <source>Add to the job	Enter</source>
        <translation>작업에 추가	Enter</translation>
    </message>
    <message>
        <source>Change slots	F2</source>
        <translation>슬롯 수 변경	F2</translation>
    </message>
    <message>
        <source>Take off the list	Del</source>
        <translation>목록에서 제거	Del</translation>
    </message>
</context>
<context>
    <name>HostModel</name>
    <message>
        <source>tags: {0}</source>
        <translation>태그: {0}</translation>
    </message>
    <message numerus="yes">
        <source>%n slot(s)</source>
        <translation>
            <numerusform>슬롯 %n개</numerusform>
        </translation>
    </message>
    <message>
        <source>rank {0}</source>
        <translation>랭크 {0}</translation>
    </message>
    <message>
        <source>ranks {0}</source>
        <translation>랭크 {0}</translation>
    </message>
    <message>
        <source>to be added</source>
        <translation>추가 예정</translation>
    </message>
    <message>
        <source>to be removed</source>
        <translation>제거 예정</translation>
    </message>
    <message>
        <source>asked for</source>
        <translation>요청됨</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>준비됨</translation>
    </message>
    <message>
        <source>waits for Apply</source>
        <translation>적용을 기다림</translation>
    </message>
    <message>
        <source>waits for the run&apos;s answer</source>
        <translation>실행의 응답을 기다림</translation>
    </message>
</context>
<context>
    <name>HostState</name>
    <message>
        <source>available</source>
        <translation>사용 가능</translation>
    </message>
    <message>
        <source>admitting</source>
        <translation>확인 중</translation>
    </message>
    <message>
        <source>offered</source>
        <translation>제공됨</translation>
    </message>
    <message>
        <source>training</source>
        <translation>학습 중</translation>
    </message>
    <message>
        <source>leaving</source>
        <translation>나가는 중</translation>
    </message>
    <message>
        <source>standby</source>
        <translation>대기</translation>
    </message>
    <message>
        <source>blacklisted</source>
        <translation>차단됨</translation>
    </message>
    <message>
        <source>unreachable</source>
        <translation>연결 불가</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>거부됨</translation>
    </message>
</context>
<context>
    <name>HostsController</name>
    <message>
        <source>Add {0} to the job</source>
        <translation>작업에 추가: {0}</translation>
    </message>
    <message>
        <source>Remove {0} from the job</source>
        <translation>작업에서 제거: {0}</translation>
    </message>
    <message>
        <source>Give {0} {1} slots</source>
        <translation>{0}의 슬롯 수를 {1}개로</translation>
    </message>
    <message>
        <source>Take {0} off the list</source>
        <translation>목록에서 제거: {0}</translation>
    </message>
    <message>
        <source>Add {0}</source>
        <translation>추가: {0}</translation>
    </message>
    <message>
        <source>Let the training wait?</source>
        <translation>학습을 기다리게 할까요?</translation>
    </message>
    <message>
        <source>Change the hosts</source>
        <translation>호스트 변경</translation>
    </message>
    <message>
        <source>Keep them</source>
        <translation>그대로 두기</translation>
    </message>
</context>
<context>
    <name>LaunchController</name>
    <message>
        <source>Choose the working directory</source>
        <translation>작업 디렉터리 선택</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>모든 파일 (*)</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>파일 선택</translation>
    </message>
    <message numerus="yes">
        <source>(%n more field(s) need attention.)</source>
        <translation>
            <numerusform>(확인할 항목이 %n개 더 있습니다.)</numerusform>
        </translation>
    </message>
    <message>
        <source>The training does not need this window. Close it whenever you like: the run goes on, and it is here again when you come back.</source>
        <translation>학습에는 이 창이 필요하지 않습니다. 언제든지 닫아도 실행은 계속되고, 다시 열면 여기에 그대로 나타납니다.</translation>
    </message>
    <message>
        <source>Stop at once?</source>
        <translation>즉시 중지할까요?</translation>
    </message>
    <message>
        <source>What was learned since the last commit is lost. Stop alone waits for the next commit and keeps it.</source>
        <translation>마지막 커밋 이후에 학습한 내용이 사라집니다. 그냥 중지하면 다음 커밋까지 기다려 내용을 지킵니다.</translation>
    </message>
    <message>
        <source>Stop at once</source>
        <translation>즉시 중지</translation>
    </message>
    <message>
        <source>Keep it running</source>
        <translation>계속 실행</translation>
    </message>
</context>
<context>
    <name>LaunchFields</name>
    <message>
        <source>What trains</source>
        <translation>학습할 것</translation>
    </message>
    <message>
        <source>Training script</source>
        <translation>학습 스크립트</translation>
    </message>
    <message>
        <source>The script that every worker runs. maypole:digits is built in.</source>
        <translation>모든 워커가 실행할 스크립트입니다. maypole:digits는 내장되어 있습니다.</translation>
    </message>
    <message>
        <source>Its arguments</source>
        <translation>스크립트 인자</translation>
    </message>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>As in a shell: quote what has spaces.</source>
        <translation>셸에서처럼 공백이 있으면 따옴표로 묶으세요.</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>the one that runs Maypole</source>
        <translation>Maypole을 실행한 Python</translation>
    </message>
    <message>
        <source>It needs TensorFlow and Horovod.</source>
        <translation>TensorFlow와 Horovod가 필요합니다.</translation>
    </message>
    <message>
        <source>Working directory</source>
        <translation>작업 디렉터리</translation>
    </message>
    <message>
        <source>the script&apos;s folder</source>
        <translation>스크립트의 폴더</translation>
    </message>
    <message>
        <source>World size</source>
        <translation>월드 크기</translation>
    </message>
    <message>
        <source>Start with (-np)</source>
        <translation>시작 (-np)</translation>
    </message>
    <message>
        <source>Slots that the start waits for.</source>
        <translation>시작할 때 기다릴 슬롯 수입니다.</translation>
    </message>
    <message>
        <source>At least (--min-np)</source>
        <translation>최소 (--min-np)</translation>
    </message>
    <message>
        <source>With fewer slots the training waits.</source>
        <translation>슬롯이 이보다 적으면 학습이 기다립니다.</translation>
    </message>
    <message>
        <source>At most (--max-np)</source>
        <translation>최대 (--max-np)</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>제한 없음</translation>
    </message>
    <message>
        <source>Slots beyond it stand by.</source>
        <translation>이보다 많은 슬롯은 대기합니다.</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>네트워크</translation>
    </message>
    <message>
        <source>Network interface</source>
        <translation>네트워크 인터페이스</translation>
    </message>
    <message>
        <source>SSH port</source>
        <translation>SSH 포트</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>자동</translation>
    </message>
    <message>
        <source>The interface that all workers reach each other by. Empty: Horovod finds one.</source>
        <translation>모든 워커가 서로 통신하는 인터페이스입니다. 비워 두면 Horovod가 찾습니다.</translation>
    </message>
    <message>
        <source>default</source>
        <translation>기본값</translation>
    </message>
    <message>
        <source>Empty: as ~/.ssh/config says, else 22.</source>
        <translation>비워 두면 ~/.ssh/config를 따르고, 없으면 22입니다.</translation>
    </message>
    <message>
        <source>SSH key file</source>
        <translation>SSH 키 파일</translation>
    </message>
    <message>
        <source>the agent&apos;s</source>
        <translation>에이전트의 키</translation>
    </message>
    <message>
        <source>Elastic behaviour</source>
        <translation>엘라스틱 동작</translation>
    </message>
    <message>
        <source>Elastic timeout, s</source>
        <translation>엘라스틱 제한 시간, 초</translation>
    </message>
    <message>
        <source>How long a resize waits for enough slots before the run fails.</source>
        <translation>크기를 바꿀 때 슬롯이 충분해지기를 기다리는 시간입니다. 넘기면 실행이 실패합니다.</translation>
    </message>
    <message>
        <source>Start timeout, s</source>
        <translation>시작 제한 시간, 초</translation>
    </message>
    <message>
        <source>How long the start waits for -np slots.</source>
        <translation>시작할 때 -np개 슬롯을 기다리는 시간입니다.</translation>
    </message>
    <message>
        <source>Gloo timeout, s</source>
        <translation>Gloo 제한 시간, 초</translation>
    </message>
    <message>
        <source>by the Horovod build</source>
        <translation>Horovod 빌드에 따름</translation>
    </message>
    <message>
        <source>How long workers wait for each other when they connect.</source>
        <translation>워커들이 연결할 때 서로를 기다리는 시간입니다.</translation>
    </message>
    <message>
        <source>Reset limit</source>
        <translation>리셋 제한</translation>
    </message>
    <message>
        <source>After so many resizes the run fails.</source>
        <translation>크기 변경이 이 횟수를 넘으면 실행이 실패합니다.</translation>
    </message>
    <message>
        <source>Blacklist cooldown, s</source>
        <translation>차단 해제 대기, 초</translation>
    </message>
    <message>
        <source>Shortest and longest time before a failed host may come back.</source>
        <translation>실패한 호스트가 돌아오기까지의 최소·최대 시간입니다.</translation>
    </message>
    <message>
        <source>Driver</source>
        <translation>드라이버</translation>
    </message>
    <message>
        <source>Maypole&apos;s driver is horovodrun with its faults corrected; stock is the plain command.</source>
        <translation>Maypole의 드라이버는 결함을 고친 horovodrun이고, 기본은 원래 명령 그대로입니다.</translation>
    </message>
    <message>
        <source>More</source>
        <translation>기타</translation>
    </message>
    <message>
        <source>Extra environment</source>
        <translation>추가 환경 변수</translation>
    </message>
    <message>
        <source>NAME=value, one a line</source>
        <translation>이름=값, 한 줄에 하나</translation>
    </message>
    <message>
        <source>Extra horovodrun flags</source>
        <translation>추가 horovodrun 옵션</translation>
    </message>
    <message>
        <source>Driver machine</source>
        <translation>드라이버 컴퓨터</translation>
    </message>
    <message>
        <source>this computer</source>
        <translation>이 컴퓨터</translation>
    </message>
    <message>
        <source>Where horovodrun runs.</source>
        <translation>horovodrun을 실행하는 곳입니다.</translation>
    </message>
</context>
<context>
    <name>LaunchPanel</name>
    <message>
        <source>{0} · changed</source>
        <translation>{0} · 변경됨</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>프로필</translation>
    </message>
    <message>
        <source>Name of the profile</source>
        <translation>프로필 이름</translation>
    </message>
</context>
<context>
    <name>LogLineDelegate</name>
    <message>
        <source>driver</source>
        <translation>드라이버</translation>
    </message>
    <message>
        <source>rank {0}</source>
        <translation>랭크 {0}</translation>
    </message>
</context>
<context>
    <name>LogPanel</name>
    <message>
        <source>All streams</source>
        <translation>모든 스트림</translation>
    </message>
    <message>
        <source>driver</source>
        <translation>드라이버</translation>
    </message>
    <message>
        <source>{0} lines</source>
        <translation>{0}행</translation>
    </message>
    <message>
        <source>The oldest {0} lines are only in the run&apos;s folder.</source>
        <translation>가장 오래된 {0}행은 실행 폴더에만 있습니다.</translation>
    </message>
    <message>
        <source>No line matches the filter.</source>
        <translation>필터와 일치하는 행이 없습니다.</translation>
    </message>
    <message>
        <source>What the driver and the workers print appears here.</source>
        <translation>드라이버와 워커의 출력이 여기에 나타납니다.</translation>
    </message>
    <message>
        <source>Log lines</source>
        <translation>로그 행</translation>
    </message>
    <message>
        <source>Stream of the log</source>
        <translation>로그 스트림</translation>
    </message>
    <message>
        <source>Lowest level of the log</source>
        <translation>로그 최저 수준</translation>
    </message>
    <message>
        <source>All levels</source>
        <translation>모든 수준</translation>
    </message>
    <message>
        <source>Info and above</source>
        <translation>정보 이상</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>경고와 오류</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>오류</translation>
    </message>
    <message>
        <source>Search the log</source>
        <translation>로그 검색</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>따라가기</translation>
    </message>
    <message>
        <source>Keep the newest line in sight</source>
        <translation>가장 새로운 행을 계속 보여 줍니다</translation>
    </message>
    <message>
        <source>Save the shown lines…</source>
        <translation>보이는 행 저장…</translation>
    </message>
    <message>
        <source>Save the shown lines</source>
        <translation>보이는 행 저장</translation>
    </message>
</context>
<context>
    <name>MainWindow</name>
    <message>
        <source>Problems</source>
        <translation>문제</translation>
    </message>
    <message>
        <source>Resizes</source>
        <translation>크기 변경</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>곡선</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>실행 설정</translation>
    </message>
    <message>
        <source>Curves and launch panel</source>
        <translation>곡선과 실행 설정</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>로그</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>실행 목록</translation>
    </message>
    <message>
        <source>Log, problems, resizes and runs</source>
        <translation>로그, 문제, 크기 변경, 실행 목록</translation>
    </message>
</context>
<context>
    <name>PanelMenu</name>
    <message>
        <source>&amp;Fit</source>
        <translation>맞춤(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Back</source>
        <translation>뒤로(&amp;B)</translation>
    </message>
    <message>
        <source>For&amp;ward</source>
        <translation>앞으로(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Copy picture</source>
        <translation>그림 복사(&amp;C)</translation>
    </message>
    <message>
        <source>Save as &amp;PNG...</source>
        <translation>PNG로 저장(&amp;P)...</translation>
    </message>
    <message>
        <source>Save as &amp;SVG...</source>
        <translation>SVG로 저장(&amp;S)...</translation>
    </message>
    <message>
        <source>Save all points as CS&amp;V...</source>
        <translation>모든 점을 CSV로 저장(&amp;V)...</translation>
    </message>
    <message>
        <source>&amp;Keys and mouse</source>
        <translation>키와 마우스(&amp;K)</translation>
    </message>
    <message>
        <source>Save curves</source>
        <translation>곡선 저장</translation>
    </message>
    <message>
        <source>Not saved</source>
        <translation>저장하지 못함</translation>
    </message>
    <message>
        <source>Keys and mouse</source>
        <translation>키와 마우스</translation>
    </message>
</context>
<context>
    <name>Phrases</name>
    <message>
        <source>No host is in the job. Move at least one host into it.</source>
        <translation>작업에 호스트가 없습니다. 호스트를 하나 이상 작업으로 옮기세요.</translation>
    </message>
    <message>
        <source>{0} is not a host name Horovod can take safely. Use letters, digits, dots, dashes and underscores.</source>
        <translation>{0}: Horovod가 안전하게 쓸 수 없는 호스트 이름입니다. 영문자, 숫자, 점, 줄표, 밑줄만 쓰세요.</translation>
    </message>
    <message>
        <source>Host {0} has {1} slots. Give it 1 to {2}.</source>
        <translation>호스트 {0}의 슬롯이 {1}개입니다. 1~{2}개로 하세요.</translation>
    </message>
    <message>
        <source>Host {0} is there twice. Keep one of them.</source>
        <translation>호스트 {0}이(가) 두 번 있습니다. 하나만 남기세요.</translation>
    </message>
    <message>
        <source>{0} is not a host. Write it as name:slots, such as node-1:4.</source>
        <translation>{0}: 호스트가 아닙니다. node-1:4처럼 이름:슬롯으로 쓰세요.</translation>
    </message>
    <message>
        <source>Give the full path of the Python that trains.</source>
        <translation>학습에 쓸 Python의 전체 경로를 입력하세요.</translation>
    </message>
    <message>
        <source>Choose the training script.</source>
        <translation>학습 스크립트를 선택하세요.</translation>
    </message>
    <message>
        <source>Give the full path of the working directory.</source>
        <translation>작업 디렉터리의 전체 경로를 입력하세요.</translation>
    </message>
    <message>
        <source>Horovod cannot use a working directory whose path has spaces or shell signs. Choose another.</source>
        <translation>Horovod는 경로에 공백이나 셸 기호가 있는 작업 디렉터리를 쓸 수 없습니다. 다른 것을 선택하세요.</translation>
    </message>
    <message>
        <source>{0} (It was taken from the script&apos;s folder, as it is empty.)</source>
        <translation>{0} (비어 있어서 스크립트의 폴더를 썼습니다.)</translation>
    </message>
    <message>
        <source>-np must be at least 1.</source>
        <translation>-np는 1 이상이어야 합니다.</translation>
    </message>
    <message>
        <source>--min-np must be at least 1.</source>
        <translation>--min-np는 1 이상이어야 합니다.</translation>
    </message>
    <message>
        <source>--min-np ({0}) is above -np ({1}). Lower it, or raise -np.</source>
        <translation>--min-np({0})가 -np({1})보다 큽니다. 낮추거나 -np를 올리세요.</translation>
    </message>
    <message>
        <source>--max-np ({0}) is below -np ({1}). Raise it, or lower -np.</source>
        <translation>--max-np({0})가 -np({1})보다 작습니다. 올리거나 -np를 낮추세요.</translation>
    </message>
    <message>
        <source>The elastic timeout must be at least 1 second.</source>
        <translation>엘라스틱 제한 시간은 1초 이상이어야 합니다.</translation>
    </message>
    <message>
        <source>The Gloo timeout must be at least 1 second.</source>
        <translation>Gloo 제한 시간은 1초 이상이어야 합니다.</translation>
    </message>
    <message>
        <source>The reset limit must be at least 1, or empty for none.</source>
        <translation>리셋 제한은 1 이상이거나, 제한이 없으면 비워 두세요.</translation>
    </message>
    <message>
        <source>The blacklist cooldown needs 1 &lt;= low &lt;= high &lt;= 3600 seconds.</source>
        <translation>차단 해제 대기는 1 &lt;= 최소 &lt;= 최대 &lt;= 3600초여야 합니다.</translation>
    </message>
    <message>
        <source>Give exactly one network interface, such as eth0.</source>
        <translation>eth0처럼 네트워크 인터페이스를 하나만 지정하세요.</translation>
    </message>
    <message>
        <source>The SSH port must be 1 to 65535.</source>
        <translation>SSH 포트는 1~65535여야 합니다.</translation>
    </message>
    <message>
        <source>Horovod cannot use a key file whose path has a space.</source>
        <translation>Horovod는 경로에 공백이 있는 키 파일을 쓸 수 없습니다.</translation>
    </message>
    <message>
        <source>{0} is not a name of an environment variable.</source>
        <translation>{0}: 환경 변수 이름이 아닙니다.</translation>
    </message>
    <message>
        <source>{0} is set by Maypole itself. Take it out of the extra flags.</source>
        <translation>{0}: Maypole이 직접 설정합니다. 추가 옵션에서 빼세요.</translation>
    </message>
    <message>
        <source>There is no built-in script {0}. Built in: {1}.</source>
        <translation>내장 스크립트 {0}이(가) 없습니다. 내장된 것: {1}.</translation>
    </message>
    <message>
        <source>This version starts horovodrun on this computer only, not on {0}. Leave the driver machine empty.</source>
        <translation>이 버전은 horovodrun을 {0}이(가) 아니라 이 컴퓨터에서만 시작합니다. 드라이버 머신을 비워 두세요.</translation>
    </message>
    <message>
        <source>There is no folder {0}. Choose another.</source>
        <translation>폴더 {0}이(가) 없습니다. 다른 것을 선택하세요.</translation>
    </message>
    <message>
        <source>There is no script {0}. Choose another.</source>
        <translation>스크립트 {0}이(가) 없습니다. 다른 것을 선택하세요.</translation>
    </message>
    <message>
        <source>{0} may not be read. Change its mode.</source>
        <translation>{0}을(를) 읽을 권한이 없습니다. 권한을 바꾸세요.</translation>
    </message>
    <message>
        <source>{0} cannot be started ({1}). Choose another Python.</source>
        <translation>{0}을(를) 시작할 수 없습니다({1}). 다른 Python을 선택하세요.</translation>
    </message>
    <message>
        <source>{0} cannot be started on {1}. Choose another Python.</source>
        <translation>{1}에서 {0}을(를) 시작할 수 없습니다. 다른 Python을 선택하세요.</translation>
    </message>
    <message>
        <source>{0} has no TensorFlow. Choose another Python, or install TensorFlow there.</source>
        <translation>{0}에 TensorFlow가 없습니다. 다른 Python을 선택하거나 TensorFlow를 설치하세요.</translation>
    </message>
    <message>
        <source>{0} has no Horovod. Build it with: {1}</source>
        <translation>{0}에 Horovod가 없습니다. 다음 명령으로 빌드하세요: {1}</translation>
    </message>
    <message>
        <source>{0} does not work: {1}. Choose another Python.</source>
        <translation>{0}이(가) 동작하지 않습니다: {1}. 다른 Python을 선택하세요.</translation>
    </message>
    <message>
        <source>This machine has no network interface {0} with an IPv4 address ({1}). Choose one of: {2}.</source>
        <translation>이 머신에는 IPv4 주소가 있는 네트워크 인터페이스 {0}이(가) 없습니다({1}). 다음 중에서 선택하세요: {2}.</translation>
    </message>
    <message>
        <source>The run&apos;s folder {0} cannot be written: {1}. Free space there, or set MAYPOLE_HOME to a folder that you may write.</source>
        <translation>실행 폴더 {0}에 쓸 수 없습니다: {1}. 공간을 확보하거나 MAYPOLE_HOME을 쓸 수 있는 폴더로 설정하세요.</translation>
    </message>
    <message>
        <source>The run could not be started: {0}</source>
        <translation>실행을 시작하지 못했습니다: {0}</translation>
    </message>
    <message>
        <source>The run could not be started on {0} (status {1}): {2}</source>
        <translation>{0}에서 실행을 시작하지 못했습니다(상태 {1}): {2}</translation>
    </message>
    <message>
        <source>a worker failed there</source>
        <translation>여기서 워커가 실패했습니다</translation>
    </message>
    <message>
        <source>until the next commit</source>
        <translation>다음 커밋까지</translation>
    </message>
    <message>
        <source>after the resize that is under way</source>
        <translation>진행 중인 크기 변경 후</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>시작 중</translation>
    </message>
    <message>
        <source>the job has --max-np workers</source>
        <translation>워커 수가 --max-np에 도달했습니다</translation>
    </message>
    <message>
        <source>not enough slots</source>
        <translation>슬롯이 부족합니다</translation>
    </message>
    <message>
        <source>workers start</source>
        <translation>워커를 시작합니다</translation>
    </message>
    <message>
        <source>All hosts that train now would leave at once, and with them what was learned. Keep one of them until a new host trains.</source>
        <translation>지금 학습 중인 호스트가 모두 한꺼번에 빠지면 학습한 내용도 사라집니다. 새 호스트가 학습할 때까지 하나는 남겨 두세요.</translation>
    </message>
    <message>
        <source>That leaves {0} slots, but --min-np is {1}: training would wait. Confirm to do it.</source>
        <translation>슬롯이 {0}개 남지만 --min-np는 {1}입니다. 학습이 멈춰 기다립니다. 그래도 하려면 확인하세요.</translation>
    </message>
    <message>
        <source>The run is ending: its hosts cannot be changed any more.</source>
        <translation>실행이 끝나는 중이라 호스트를 더 바꿀 수 없습니다.</translation>
    </message>
    <message>
        <source>The hosts stay as they are. Move hosts again if you like.</source>
        <translation>호스트는 그대로입니다. 필요하면 다시 옮기세요.</translation>
    </message>
    <message>
        <source>The run is over.</source>
        <translation>실행이 끝났습니다.</translation>
    </message>
    <message>
        <source>horovodrun was killed, or this machine was restarted.</source>
        <translation>horovodrun이 강제 종료되었거나 이 머신이 다시 시작되었습니다.</translation>
    </message>
    <message>
        <source>horovodrun ended, but rank 0 never said that the script was done. See the log.</source>
        <translation>horovodrun은 끝났지만 랭크 0이 스크립트가 끝났다고 알리지 않았습니다. 로그를 보세요.</translation>
    </message>
    <message>
        <source>horovodrun ended with status {0}. See the log&apos;s last lines.</source>
        <translation>horovodrun이 상태 {0}(으)로 끝났습니다. 로그의 마지막 줄을 보세요.</translation>
    </message>
    <message>
        <source>The worker {0} ended with status {1}.</source>
        <translation>워커 {0}이(가) 상태 {1}(으)로 끝났습니다.</translation>
    </message>
    <message>
        <source>Its log has the reason. Horovod keeps the host out of the job for the blacklist cooldown.</source>
        <translation>이유는 로그에 있습니다. Horovod는 차단 해제 대기 동안 이 호스트를 작업에서 제외합니다.</translation>
    </message>
    <message>
        <source>horovodrun could not read the discovery script: {0}</source>
        <translation>horovodrun이 호스트 탐색 스크립트를 읽지 못했습니다: {0}</translation>
    </message>
    <message>
        <source>The hosts stay as they were. Look at discover_hosts.sh in the run&apos;s folder.</source>
        <translation>호스트는 그대로입니다. 실행 폴더의 discover_hosts.sh를 확인하세요.</translation>
    </message>
    <message>
        <source>discover_hosts.sh cannot be written: {0}</source>
        <translation>discover_hosts.sh에 쓸 수 없습니다: {0}</translation>
    </message>
    <message>
        <source>Free some space on that disk. It is tried again by itself.</source>
        <translation>디스크 공간을 확보하세요. 자동으로 다시 시도합니다.</translation>
    </message>
    <message>
        <source>discover_hosts.sh cannot be read: {0}</source>
        <translation>discover_hosts.sh를 읽을 수 없습니다: {0}</translation>
    </message>
    <message>
        <source>discover_hosts.sh was edited, and cannot be used: {0}</source>
        <translation>discover_hosts.sh가 수정되었지만 쓸 수 없습니다: {0}</translation>
    </message>
    <message>
        <source>Somebody was turned away from the worker link: {0}</source>
        <translation>워커 링크에서 접속을 거부했습니다: {0}</translation>
    </message>
    <message>
        <source>The training is not disturbed. If this goes on, see who reaches that port.</source>
        <translation>학습에는 영향이 없습니다. 계속되면 그 포트에 누가 접속하는지 확인하세요.</translation>
    </message>
    <message>
        <source>The training goes on. Please report this with the worker&apos;s log.</source>
        <translation>학습은 계속됩니다. 워커의 로그와 함께 이 문제를 알려 주세요.</translation>
    </message>
</context>
<context>
    <name>PreviewPane</name>
    <message>
        <source>A draft: some fields or hosts are missing or wrong.</source>
        <translation>초안입니다. 빠졌거나 잘못된 항목 또는 호스트가 있습니다.</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>명령</translation>
    </message>
    <message>
        <source>Discovery script</source>
        <translation>호스트 탐색 스크립트</translation>
    </message>
    <message>
        <source>The horovodrun command of this profile</source>
        <translation>이 프로필의 horovodrun 명령</translation>
    </message>
    <message>
        <source>The discovery script of this profile</source>
        <translation>이 프로필의 호스트 탐색 스크립트</translation>
    </message>
    <message>
        <source>Copy the command</source>
        <translation>명령 복사</translation>
    </message>
    <message>
        <source>Copy the discovery script</source>
        <translation>호스트 탐색 스크립트 복사</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>복사</translation>
    </message>
</context>
<context>
    <name>ProblemDelegate</name>
    <message numerus="yes">
        <source>%n time(s)</source>
        <translation>
            <numerusform>%n회</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ProblemsPanel</name>
    <message>
        <source>Problems of the run</source>
        <translation>실행의 문제</translation>
    </message>
    <message>
        <source>No problems. What goes wrong is explained here, with what to do.</source>
        <translation>문제가 없습니다. 문제가 생기면 무엇을 해야 하는지와 함께 여기에 설명합니다.</translation>
    </message>
</context>
<context>
    <name>Resizes</name>
    <message>
        <source>hosts changed</source>
        <translation>호스트 변경</translation>
    </message>
    <message>
        <source>a worker failed</source>
        <translation>워커 실패</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>시각</translation>
    </message>
    <message>
        <source>World size</source>
        <translation>월드 크기</translation>
    </message>
    <message>
        <source>Hosts</source>
        <translation>호스트</translation>
    </message>
    <message>
        <source>In all</source>
        <translation>전체</translation>
    </message>
    <message>
        <source>Discovery</source>
        <translation>탐색</translation>
    </message>
    <message>
        <source>Commit</source>
        <translation>커밋</translation>
    </message>
    <message>
        <source>Rendezvous</source>
        <translation>랑데부</translation>
    </message>
    <message>
        <source>Sync</source>
        <translation>동기화</translation>
    </message>
    <message>
        <source>First step</source>
        <translation>첫 스텝</translation>
    </message>
    <message>
        <source>At step</source>
        <translation>스텝</translation>
    </message>
    <message>
        <source>Repeated</source>
        <translation>반복</translation>
    </message>
    <message>
        <source>Cause</source>
        <translation>원인</translation>
    </message>
</context>
<context>
    <name>ResizesPanel</name>
    <message>
        <source>Resizes of the run</source>
        <translation>실행의 크기 변경</translation>
    </message>
    <message>
        <source>No resize yet. Move a host while it trains.</source>
        <translation>아직 크기 변경이 없습니다. 학습 중에 호스트를 옮겨 보세요.</translation>
    </message>
</context>
<context>
    <name>RunState</name>
    <message>
        <source>Preparing</source>
        <translation>준비 중</translation>
    </message>
    <message>
        <source>Starting</source>
        <translation>시작 중</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>대기 중</translation>
    </message>
    <message>
        <source>Training</source>
        <translation>학습 중</translation>
    </message>
    <message>
        <source>Resizing</source>
        <translation>크기 변경 중</translation>
    </message>
    <message>
        <source>Stopping</source>
        <translation>중지 중</translation>
    </message>
    <message>
        <source>Finished</source>
        <translation>완료</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>실패</translation>
    </message>
    <message>
        <source>Stopped</source>
        <translation>중지됨</translation>
    </message>
    <message>
        <source>Unwatched</source>
        <translation>감독 없음</translation>
    </message>
    <message>
        <source>Ended unseen</source>
        <translation>모르는 사이 끝남</translation>
    </message>
    <message>
        <source>No run</source>
        <translation>실행 없음</translation>
    </message>
</context>
<context>
    <name>Runs</name>
    <message>
        <source>It goes on, but its supervisor is dead. Open it, and a new one takes it over.</source>
        <translation>실행은 계속되지만 감독 프로세스가 죽었습니다. 열면 새 감독 프로세스가 이어받습니다.</translation>
    </message>
    <message>
        <source>It ended while nobody watched. Open it to find out how. It was noted last as: {0}</source>
        <translation>아무도 지켜보지 않는 사이에 끝났습니다. 열면 어떻게 끝났는지 알 수 있습니다. 마지막 기록: {0}</translation>
    </message>
    <message>
        <source>State</source>
        <translation>상태</translation>
    </message>
    <message>
        <source>Profile</source>
        <translation>프로필</translation>
    </message>
    <message>
        <source>Started</source>
        <translation>시작</translation>
    </message>
    <message>
        <source>Lasted</source>
        <translation>걸린 시간</translation>
    </message>
    <message>
        <source>Hosts at the start</source>
        <translation>시작 호스트</translation>
    </message>
    <message>
        <source>Script</source>
        <translation>스크립트</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>실행</translation>
    </message>
</context>
<context>
    <name>RunsPanel</name>
    <message>
        <source>Runs of this computer</source>
        <translation>이 컴퓨터의 실행</translation>
    </message>
    <message>
        <source>No run yet. Put hosts into the job and press Start.</source>
        <translation>아직 실행이 없습니다. 호스트를 작업에 넣고 시작을 누르세요.</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>열기</translation>
    </message>
    <message>
        <source>Show this run; a run that is going goes on</source>
        <translation>이 실행을 봅니다. 진행 중인 실행은 계속됩니다</translation>
    </message>
    <message>
        <source>Show folder</source>
        <translation>폴더 보기</translation>
    </message>
    <message>
        <source>Open the folder of this run</source>
        <translation>이 실행의 폴더를 엽니다</translation>
    </message>
    <message>
        <source>Refresh</source>
        <translation>새로 고침</translation>
    </message>
    <message>
        <source>Read the list of runs again</source>
        <translation>실행 목록을 다시 읽습니다</translation>
    </message>
</context>
<context>
    <name>Session</name>
    <message>
        <source>There is no link to a run yet. Wait until it is attached.</source>
        <translation>아직 실행에 연결되지 않았습니다. 연결될 때까지 기다리세요.</translation>
    </message>
</context>
<context>
    <name>Severity</name>
    <message>
        <source>Note</source>
        <translation>알림</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>경고</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>오류</translation>
    </message>
</context>
<context>
    <name>StatusPill</name>
    <message>
        <source>{0} {1} / {2} slots</source>
        <translation>{0} 슬롯 {1} / {2}</translation>
    </message>
    <message>
        <source>State of the run: {0}</source>
        <translation>실행 상태: {0}</translation>
    </message>
</context>
<context>
    <name>Toast</name>
    <message>
        <source>Close this note</source>
        <translation>알림 닫기</translation>
    </message>
</context>
<context>
    <name>ToolRow</name>
    <message>
        <source>Step</source>
        <translation>스텝</translation>
    </message>
    <message>
        <source>Epoch</source>
        <translation>에포크</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>샘플</translation>
    </message>
    <message>
        <source>Relative time</source>
        <translation>경과 시간</translation>
    </message>
    <message>
        <source>Time of day</source>
        <translation>시각</translation>
    </message>
    <message>
        <source>Smoothing</source>
        <translation>평활화</translation>
    </message>
    <message>
        <source>Log y</source>
        <translation>로그 y</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>따라가기</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>맞춤</translation>
    </message>
    <message>
        <source>Filter plots</source>
        <translation>그래프 필터</translation>
    </message>
    <message>
        <source>X axis</source>
        <translation>X축</translation>
    </message>
    <message>
        <source>What the x axis counts</source>
        <translation>x축의 기준</translation>
    </message>
    <message>
        <source>Smoothing of the curves, as TensorBoard does it (S)</source>
        <translation>TensorBoard 방식의 곡선 평활화 (S)</translation>
    </message>
    <message>
        <source>Logarithmic y axis</source>
        <translation>로그 y축</translation>
    </message>
    <message>
        <source>Powers of ten on the y axes (L)</source>
        <translation>y축을 10의 거듭제곱으로 (L)</translation>
    </message>
    <message>
        <source>Keep the newest point in view (F)</source>
        <translation>가장 새로운 점을 계속 보기 (F)</translation>
    </message>
    <message>
        <source>Show everything (0, or a double click)</source>
        <translation>전체 보기 (0 또는 두 번 클릭)</translation>
    </message>
    <message>
        <source>Show only the plots whose name has this (/)</source>
        <translation>이름에 이 글자가 있는 그래프만 보기 (/)</translation>
    </message>
    <message>
        <source>More</source>
        <translation>더 보기</translation>
    </message>
    <message>
        <source>Save, copy, help</source>
        <translation>저장, 복사, 도움말</translation>
    </message>
    <message>
        <source>off</source>
        <translation>끔</translation>
    </message>
    <message>
        <source>%1 points, all kept</source>
        <translation>점 %1개, 모두 보존</translation>
    </message>
    <message>
        <source>%1 points</source>
        <translation>점 %1개</translation>
    </message>
    <message>
        <source>%1 point, all kept</source>
        <translation>점 %1개, 모두 보존</translation>
    </message>
    <message>
        <source>%1 point</source>
        <translation>점 %1개</translation>
    </message>
    <message>
        <source>Every point is kept; every peak is drawn</source>
        <translation>모든 점을 보존하고 모든 꼭짓점을 그립니다</translation>
    </message>
</context>
<context>
    <name>TopBar</name>
    <message>
        <source>{0} workers train, {1} are wanted</source>
        <translation>워커 {0}개가 학습 중, {1}개를 원함</translation>
    </message>
    <message>
        <source>World size {0} of {1}</source>
        <translation>월드 크기 {1} 중 {0}</translation>
    </message>
    <message>
        <source>epoch {0}, step {1}</source>
        <translation>에포크 {0}, 스텝 {1}</translation>
    </message>
    <message>
        <source>Progress of the training</source>
        <translation>학습 진행률</translation>
    </message>
    <message>
        <source>{0} left</source>
        <translation>{0} 남음</translation>
    </message>
    <message>
        <source>step {0}</source>
        <translation>스텝 {0}</translation>
    </message>
    <message>
        <source>epoch {0} / {1}</source>
        <translation>에포크 {0} / {1}</translation>
    </message>
    <message>
        <source>since {0}</source>
        <translation>{0}부터</translation>
    </message>
    <message>
        <source>world size</source>
        <translation>월드 크기</translation>
    </message>
    <message>
        <source>Elapsed time</source>
        <translation>경과 시간</translation>
    </message>
</context>
<context>
    <name>Wiring</name>
    <message>
        <source>Problems</source>
        <translation>문제</translation>
    </message>
    <message>
        <source>The training is finished. Export takes the SavedModel home.</source>
        <translation>학습이 끝났습니다. 내보내기로 SavedModel을 가져오세요.</translation>
    </message>
    <message>
        <source>The training was stopped. Export takes the SavedModel home.</source>
        <translation>학습을 중지했습니다. 내보내기로 SavedModel을 가져오세요.</translation>
    </message>
    <message>
        <source>The run failed: {0}</source>
        <translation>실행이 실패했습니다: {0}</translation>
    </message>
    <message>
        <source>Start horovodrun with this profile</source>
        <translation>이 프로필로 horovodrun을 시작합니다</translation>
    </message>
    <message>
        <source>Before Start:</source>
        <translation>시작하기 전에:</translation>
    </message>
    <message numerus="yes">
        <source>Apply %n move(s)</source>
        <translation>
            <numerusform>이동 %n개 적용</numerusform>
        </translation>
    </message>
    <message>
        <source>Change the running job once, with all staged moves</source>
        <translation>모아 둔 이동을 실행 중인 작업에 한 번에 적용합니다</translation>
    </message>
    <message>
        <source>Export SavedModel</source>
        <translation>SavedModel 내보내기</translation>
    </message>
    <message>
        <source>Press to cancel</source>
        <translation>누르면 취소합니다</translation>
    </message>
    <message>
        <source>Write the trained model, verify it, and copy it to a folder of yours</source>
        <translation>학습한 모델을 쓰고 검증한 뒤 원하는 폴더로 복사합니다</translation>
    </message>
    <message>
        <source> (changes the running job)</source>
        <translation> (실행 중인 작업이 바뀝니다)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>실행 취소(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>다시 실행(&amp;R)</translation>
    </message>
</context>
</TS>
