<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>Application</name>
    <message numerus="yes">
        <source>%n more in the list of runs.</source>
        <translation>
            <numerusform>%n more in the list of runs.</numerusform>
            <numerusform>%n more in the list of runs.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>HostBoard</name>
    <message numerus="yes">
        <source>%n slot(s)</source>
        <translation>
            <numerusform>%n slot</numerusform>
            <numerusform>%n slots</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>HostModel</name>
    <message numerus="yes">
        <source>%n slot(s)</source>
        <translation>
            <numerusform>%n slot</numerusform>
            <numerusform>%n slots</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LaunchController</name>
    <message numerus="yes">
        <source>(%n more field(s) need attention.)</source>
        <translation>
            <numerusform>(%n more field needs attention.)</numerusform>
            <numerusform>(%n more fields need attention.)</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ProblemDelegate</name>
    <message numerus="yes">
        <source>%n time(s)</source>
        <translation>
            <numerusform>%n time</numerusform>
            <numerusform>%n times</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Wiring</name>
    <message numerus="yes">
        <source>Apply %n move(s)</source>
        <translation>
            <numerusform>Apply %n move</numerusform>
            <numerusform>Apply %n moves</numerusform>
        </translation>
    </message>
</context>
</TS>
